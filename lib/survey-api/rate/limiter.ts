import Queue from "yocto-queue";
import { whenAborted } from "../when-aborted.ts";
import { createAllowedRate, type LearnedRate, type Share } from "./allowed-rate.ts";

/**
 * Order in which requests wait for their turn: new responses before the backlog of a catch-up. Of that the pages go before what they lead
 * to.
 */
export type Priority = "news" | "catch-up-pages" | "catch-up";

export interface LimiterOptions {
  /** Most requests in flight. */
  concurrency: number;
  /** Most requests a second; the rate that the service allows is learned below it. */
  maxRequestsPerSecond?: number;
  learned?: LearnedRate;
  /** Milliseconds; a longer pause ends what waits for it, with a `LongPause`. */
  longestPause: number;
  now: () => number;
  monotonic: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface Turn {
  /** First: what all others depend on, the token request and the look whether a token is good. */
  priority: Priority | "first";
  /** A request made again goes before those of its priority that were not made yet. */
  again: boolean;
  signal: AbortSignal | undefined;
}

/** Decides when a request may go out: one for all requests to one service. */
export interface Limiter {
  /** Does `work` when its turn has come. */
  run<T>(work: () => Promise<T>, turn: Turn): Promise<T>;
  /** An answer other than 429 has come. */
  granted(): void;
  /** 429 has come for a request sent at `sentAt` (monotonic). */
  refused(sentAt: number, retryAfter: number | undefined): Pause;
  /** The service asked for a pause without refusing for the rate. */
  pause(milliseconds: number): Pause;
  learned(): LearnedRate | undefined;
  /** Takes over what another client of the service has learned. */
  learn(learned: LearnedRate): void;
  /** Goes on as one of several clients that share what the service allows. */
  share(share: Share): void;
}

export interface Pause {
  /** Milliseconds from now on. */
  duration: number;
  /** Not one of several requests that were refused together: there was no pause yet, or one of less than half this length. */
  isNew: boolean;
}

/** The service asked for a pause that is too long to wait for. */
export class LongPause extends Error {
  /** Milliseconds that are left of it. */
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super("the pause is too long to wait for");
    this.milliseconds = milliseconds;
  }
}

const PRIORITIES: readonly Turn["priority"][] = ["first", "news", "catch-up-pages", "catch-up"];
/** Milliseconds. */
const LONGEST_PAUSE = 3_600_000;
const LONGEST_TIMER = 2 ** 31 - 1;
/** Calls that were given up, after which the queues are cleaned. */
const MANY = 10_000;

interface Waiting {
  begin: () => void;
  fail: (error: unknown) => void;
  cancelled: boolean;
}

/**
 * A queue of its own: no maintained package lets a learned rate decide at the moment a place is free. There, a request that waits for its
 * turn in time already holds a place, and the backlog would hold all of them.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, longestPause, monotonic, sleep } = options;
  const rate = createAllowedRate({
    now: options.now,
    monotonic,
    ...(options.maxRequestsPerSecond === undefined ? {} : { ceiling: options.maxRequestsPerSecond }),
    ...(options.learned === undefined ? {} : { learned: options.learned }),
  });
  /** By priority, and of one priority what is made again before what was not made yet. */
  const queues = Array.from({ length: 2 * PRIORITIES.length }, () => new Queue<Waiting>());
  let inFlight = 0;
  let cancelled = 0;
  /** On both clocks: one may be set back, the other stand still while the process is frozen. Over is what is over on either. */
  let pausedUntil = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  let wakesAt = Number.POSITIVE_INFINITY;

  function next(): Queue<Waiting> | undefined {
    for (const queue of queues) {
      while (queue.peek()?.cancelled === true) queue.dequeue();
      if (queue.size > 0) return queue;
    }
    return undefined;
  }

  function wakeAfter(milliseconds: number): void {
    const wait = Math.min(Math.ceil(milliseconds), LONGEST_TIMER);
    const at = monotonic() + wait;
    if (at >= wakesAt) return;
    wakesAt = at;
    void sleep(wait).then(() => {
      if (wakesAt === at) wakesAt = Number.POSITIVE_INFINITY;
      start();
    });
  }

  /** Drops requests that were given up. They would lie in their queue until their turn, behind a long pause for ever. */
  function forgetCancelled(): void {
    cancelled = 0;
    for (const queue of queues) {
      const kept = [...queue.drain()].filter((waiting) => !waiting.cancelled);
      for (const waiting of kept) queue.enqueue(waiting);
    }
  }

  function pauseLeft(): number {
    return Math.min(pausedUntil.monotonic - monotonic(), pausedUntil.wall - options.now());
  }

  function pause(milliseconds: number): Pause {
    // An odd value must not silence the client for good: who asks for a day is asked again after an hour.
    const duration = Math.min(milliseconds, LONGEST_PAUSE);
    const left = Math.max(0, pauseLeft());
    if (duration > left) {
      pausedUntil = { monotonic: monotonic() + duration, wall: options.now() + duration };
    }
    return { duration, isNew: duration > 2 * left };
  }

  function start(): void {
    while (inFlight < concurrency) {
      const queue = next();
      if (queue === undefined) return;
      const pause = pauseLeft();
      if (pause > longestPause) {
        queue.dequeue()?.fail(new LongPause(pause));
        continue;
      }
      const wait = Math.max(pause, rate.wait());
      if (wait > 0) {
        if (wait !== Number.POSITIVE_INFINITY) wakeAfter(wait);
        return;
      }
      rate.take();
      inFlight += 1;
      queue.dequeue()?.begin();
    }
  }

  return {
    run(work, { priority, again, signal }) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const giveUp = (): void => {
          waiting.cancelled = true;
          reject(signal?.reason);
          cancelled += 1;
          if (cancelled >= MANY) forgetCancelled();
        };
        const waiting: Waiting = {
          cancelled: false,
          fail(error) {
            forget();
            reject(error);
          },
          begin() {
            forget();
            const done = (): void => {
              inFlight -= 1;
              rate.finished();
              start();
            };
            work().then(
              (value) => {
                resolve(value);
                done();
              },
              (error) => {
                reject(error);
                done();
              },
            );
          },
        };
        const forget = whenAborted(signal, giveUp);
        queues[2 * PRIORITIES.indexOf(priority) + (again ? 0 : 1)]?.enqueue(waiting);
        start();
      });
    },
    granted: () => rate.granted(),
    refused: (sentAt, retryAfter) => pause(rate.refused(sentAt, retryAfter)),
    pause,
    learned: () => rate.learned(),
    learn(learned) {
      rate.learn(learned);
      start();
    },
    share(share) {
      rate.share(share);
      start();
    },
  };
}
