import Queue from "yocto-queue";
import { createAllowedRate, type LearnedRate } from "./allowed-rate.ts";

/** What waits for its turn: new responses go before the backlog of a catch-up. */
export type Priority = "news" | "catch-up";

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
  priority: Priority;
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
  /** 429 has come for a request sent at `sentAt` (monotonic); gives the milliseconds of the pause that begins now. */
  refused(sentAt: number, retryAfter: number | undefined): number;
  learned(): LearnedRate | undefined;
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

interface Waiting {
  begin: () => void;
  fail: (error: unknown) => void;
  cancelled: boolean;
}

/**
 * A queue of its own, since none that is maintained lets a learned rate decide at the moment a place is free: there, what waits
 * for its turn in time already holds a place, and the backlog would hold all of them.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, longestPause, monotonic, sleep } = options;
  const rate = createAllowedRate({
    now: options.now,
    monotonic,
    ...(options.maxRequestsPerSecond === undefined ? {} : { ceiling: options.maxRequestsPerSecond }),
    ...(options.learned === undefined ? {} : { learned: options.learned }),
  });
  /** First things first: news made again, news, the backlog made again, the backlog. */
  const queues = Array.from({ length: 4 }, () => new Queue<Waiting>());
  let inFlight = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let wakesAt = Number.POSITIVE_INFINITY;

  function next(): Queue<Waiting> | undefined {
    for (const queue of queues) {
      while (queue.peek()?.cancelled === true) queue.dequeue();
      if (queue.size > 0) return queue;
    }
    return undefined;
  }

  function wakeAfter(milliseconds: number): void {
    const at = monotonic() + milliseconds;
    if (at >= wakesAt) return;
    wakesAt = at;
    void sleep(Math.ceil(milliseconds)).then(() => {
      if (wakesAt === at) wakesAt = Number.POSITIVE_INFINITY;
      start();
    });
  }

  function start(): void {
    while (inFlight < concurrency) {
      const queue = next();
      if (queue === undefined) return;
      const pause = pausedUntil - monotonic();
      if (pause > longestPause) {
        queue.dequeue()?.fail(new LongPause(pause));
        continue;
      }
      const wait = Math.max(pause, rate.wait());
      if (wait > 0) {
        wakeAfter(wait);
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
        };
        const waiting: Waiting = {
          cancelled: false,
          fail: reject,
          begin() {
            signal?.removeEventListener("abort", giveUp);
            const done = (): void => {
              inFlight -= 1;
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
        signal?.addEventListener("abort", giveUp, { once: true });
        queues[(priority === "news" ? 0 : 2) + (again ? 0 : 1)]?.enqueue(waiting);
        start();
      });
    },
    granted: () => rate.granted(),
    refused(sentAt, retryAfter) {
      const pause = rate.refused(sentAt, retryAfter);
      pausedUntil = Math.max(pausedUntil, monotonic() + pause);
      return pause;
    },
    learned: () => rate.learned(),
  };
}
