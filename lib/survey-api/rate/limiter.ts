import Queue from "yocto-queue";
import { whenAborted } from "../when-aborted.ts";
import { type AllowedRateOptions, createAllowedRate, type LearnedRate } from "./allowed-rate.ts";

/** Order in which requests wait for their turn; of a backlog the pages go before what they lead to. */
export type Priority = "news" | "backlog-pages" | "backlog";

export interface LimiterOptions extends AllowedRateOptions {
  /** Most requests in flight. */
  concurrency: number;
  /** Milliseconds; a longer pause ends what waits for it, with a `LongPause`. */
  longestPause: number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface Turn {
  /** First: what all others depend on, the token request and the look whether a token is good. */
  priority: Priority | "first";
  /** A request made again goes before those of its priority that were not made yet. */
  again: boolean;
  signal: AbortSignal | undefined;
}

export interface Pause {
  /** Milliseconds from now on. */
  duration: number;
  /** Not one of several requests that were refused together: there was no pause yet, or one of less than half this length. */
  isNew: boolean;
}

/** The service asked for a pause that is too long to wait for. */
export class LongPause extends Error {
  /** Those that are left of it. */
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super("the pause is too long to wait for");
    this.milliseconds = milliseconds;
  }
}

const PRIORITIES: readonly Turn["priority"][] = ["first", "news", "backlog-pages", "backlog"];
/** Milliseconds. */
const LONGEST_PAUSE = 3_600_000;
const LONGEST_TIMER = 2 ** 31 - 1;

interface Waiting extends PromiseWithResolvers<void> {
  isGivenUp: boolean;
}

/**
 * Decides when a request may go out: one for all requests to one service. No maintained package lets a learned rate decide at the moment a
 * place is free. There, a request that waits for its turn in time already holds a place, and the backlog would hold all of them.
 */
export function createLimiter(options: LimiterOptions) {
  const { concurrency, longestPause, monotonic, sleep } = options;
  const rate = createAllowedRate(options);
  /** By priority, and of one priority what is made again before what was not made yet. */
  const queues = Array.from({ length: 2 * PRIORITIES.length }, () => new Queue<Waiting>());
  let inFlight = 0;
  /** On both clocks: one may be set back, the other stand still while the process is frozen. Over is what is over on either. */
  let pausedUntil = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  let wakesAt = Number.POSITIVE_INFINITY;

  const next = (): Queue<Waiting> | undefined =>
    queues.find((queue) => {
      while (queue.peek()?.isGivenUp === true) queue.dequeue();
      return queue.size > 0;
    });

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

  function pauseLeft(): number {
    return Math.min(pausedUntil.monotonic - monotonic(), pausedUntil.wall - options.now());
  }

  function pause(milliseconds: number): Pause {
    // An odd value must not silence the client for good: who asks for a day is asked again after an hour.
    const duration = Math.min(milliseconds, LONGEST_PAUSE);
    const left = Math.max(0, pauseLeft());
    if (duration > left) pausedUntil = { monotonic: monotonic() + duration, wall: options.now() + duration };
    return { duration, isNew: duration > 2 * left };
  }

  function start(): void {
    while (inFlight < concurrency) {
      const queue = next();
      if (queue === undefined) return;
      const pause = pauseLeft();
      if (pause > longestPause) {
        queue.dequeue()?.reject(new LongPause(pause));
        continue;
      }
      const wait = Math.max(pause, rate.wait());
      if (wait > 0) {
        if (wait !== Number.POSITIVE_INFINITY) wakeAfter(wait);
        return;
      }
      rate.take();
      inFlight += 1;
      queue.dequeue()?.resolve();
    }
  }

  return {
    /** Does `work` when its turn has come. */
    async run<T>(work: () => Promise<T>, { priority, again, signal }: Turn): Promise<T> {
      signal?.throwIfAborted();
      const turn: Waiting = { ...Promise.withResolvers<void>(), isGivenUp: false };
      const forget = whenAborted(signal, () => {
        turn.isGivenUp = true;
        turn.reject(signal?.reason);
      });
      queues[2 * PRIORITIES.indexOf(priority) + (again ? 0 : 1)]?.enqueue(turn);
      start();
      await turn.promise.finally(forget);
      try {
        return await work();
      } finally {
        inFlight -= 1;
        rate.finished();
        start();
      }
    },
    granted: rate.granted,
    /** 429 has come for a request sent at `sentAt` (monotonic). */
    refused: (sentAt: number, retryAfter: number | undefined): Pause => pause(rate.refused(sentAt, retryAfter)),
    /** The service asked for a pause without refusing for the rate. */
    pause,
    learned: rate.learned,
    learn(learned: LearnedRate): void {
      rate.learn(learned);
      start();
    },
  };
}
