import type { LearnedRate } from "../../../../lib/survey-api/rate/allowed-rate.ts";
import { createLimiter } from "../../../../lib/survey-api/rate/limiter.ts";

/** A service that refuses what is too much: a bucket of tokens, or so many requests in each window of time. */
export interface VirtualService {
  perSecond: number;
  /** Tokens of a full bucket. */
  burst?: number;
  /** Milliseconds of a window, instead of a bucket. */
  window?: number;
  /** What is true, in one of the two forms. */
  retryAfter: "seconds" | "date" | "none";
  /** Milliseconds from sending a request to its answer. */
  latency: number;
}

export interface Run {
  /** Seconds. */
  seconds: number;
  /** The time that is needed if nothing is ever refused and nothing left unused, in seconds. */
  ideal: number;
  /** Places of the refused requests among all requests, from 0 to 1. */
  refused: number[];
  requests: number;
  learned: LearnedRate | undefined;
  /** Milliseconds on the virtual clock. */
  endedAt: number;
}

interface Work {
  count: number;
  concurrency: number;
  learned?: LearnedRate | undefined;
  /** Milliseconds on the virtual clock. */
  startAt: number;
}

/** Sends `count` requests as fast as they are allowed, on a virtual clock; what is refused is sent again. */
export async function drain(service: VirtualService, { count, concurrency, startAt, learned }: Work): Promise<Run> {
  let time = startAt;
  const clock = (): number => time;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((wake) => void sleepers.push({ at: time + milliseconds, wake }));
  const limiter = createLimiter({
    concurrency,
    longestPause: Number.POSITIVE_INFINITY,
    now: clock,
    monotonic: clock,
    // Timers wake a little late.
    sleep: (milliseconds) => sleep(milliseconds + 0.3),
  });
  if (learned !== undefined) limiter.learn(learned);
  const grant = createGate(service, clock);
  const refused: number[] = [];
  let requests = 0;
  let granted = 0;

  /** Whether it was granted. */
  async function send(): Promise<boolean> {
    const sentAt = time;
    const number = requests;
    requests += 1;
    await sleep(service.latency / 2);
    const wait = grant();
    await sleep(service.latency / 2);
    if (wait === undefined) limiter.granted();
    else {
      refused.push(number);
      limiter.refused(sentAt, retryAfter(service, wait, time));
    }
    return wait === undefined;
  }

  async function call(again = false): Promise<void> {
    if (await limiter.run(send, { priority: "news", again, signal: undefined })) granted += 1;
    else await call(true);
  }

  for (let i = 0; i < count; i += 1) void call();
  for (await settled(); granted < count; await settled()) {
    let first = 0;
    for (const [index, { at }] of sleepers.entries()) if (at < (sleepers[first]?.at ?? 0)) first = index;
    const [sleeper] = sleepers.splice(first, 1);
    if (sleeper === undefined) throw new Error("nothing is going on any more");
    time = sleeper.at;
    sleeper.wake();
  }
  return {
    seconds: (time - startAt) / 1000,
    ideal: idealSeconds(service, count),
    refused: refused.map((number) => number / requests),
    requests,
    learned: limiter.learned(),
    endedAt: time,
  };
}

/** Once all that can go on without time has. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Undefined grants a request; a number is the milliseconds until one will be granted. */
function createGate(service: VirtualService, clock: () => number): () => number | undefined {
  const { perSecond, burst = 1, window } = service;
  let tokens = burst;
  let filledAt = clock();
  let used = 0;
  return () => {
    const at = clock();
    if (window !== undefined) {
      if (Math.floor(at / window) !== Math.floor(filledAt / window)) used = 0;
      filledAt = at;
      used += 1;
      return used <= (perSecond * window) / 1000 ? undefined : window - (at % window);
    }
    tokens = Math.min(burst, tokens + ((at - filledAt) / 1000) * perSecond);
    filledAt = at;
    if (tokens < 1) return ((1 - tokens) / perSecond) * 1000;
    tokens -= 1;
    return undefined;
  };
}

function retryAfter({ retryAfter: form }: VirtualService, wait: number, at: number): number | undefined {
  if (form === "none") return undefined;
  if (form === "seconds") return Math.max(1, Math.ceil(wait / 1000)) * 1000;
  return Math.ceil((at + wait) / 1000) * 1000 - at;
}

function idealSeconds({ perSecond, burst = 1, window }: VirtualService, count: number): number {
  return window === undefined ? (count - burst) / perSecond : count / perSecond - window / 1000;
}
