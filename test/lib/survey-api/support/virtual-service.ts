import { createAllowedRate, type LearnedRate } from "../../../../lib/survey-api/rate/allowed-rate.ts";

/** A service that refuses what is too much: a bucket of tokens, or so many requests in each window of time. */
export interface VirtualService {
  perSecond: number;
  /** Tokens of a full bucket. */
  burst?: number;
  /** Milliseconds of a window, instead of a bucket. */
  window?: number;
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
  learned?: LearnedRate;
  ceiling?: number;
  /** Milliseconds on the virtual clock. */
  startAt: number;
}

/** Sends `count` requests as fast as they are allowed, on a virtual clock; what is refused is sent again. */
export function drain(service: VirtualService, { count, concurrency, startAt, learned, ceiling }: Work): Run {
  let time = startAt;
  const clock = (): number => time;
  const rate = createAllowedRate({
    now: clock,
    monotonic: clock,
    ...(learned === undefined ? {} : { learned }),
    ...(ceiling === undefined ? {} : { ceiling }),
  });
  const grant = createGate(service, clock);
  const events: { at: number; run: () => void }[] = [];
  const later = (milliseconds: number, run: () => void): void => void events.push({ at: time + milliseconds, run });
  const refused: number[] = [];
  let waiting = count;
  let inFlight = 0;
  let requests = 0;
  let granted = 0;
  let pausedUntil = startAt;
  let wakesAt = Number.POSITIVE_INFINITY;

  function send(): void {
    const sentAt = time;
    const number = requests;
    requests += 1;
    waiting -= 1;
    inFlight += 1;
    rate.take();
    later(service.latency / 2, () => {
      const wait = grant();
      later(service.latency / 2, () => {
        inFlight -= 1;
        rate.finished();
        if (wait === undefined) {
          granted += 1;
          rate.granted();
        } else {
          refused.push(number);
          waiting += 1;
          pausedUntil = Math.max(pausedUntil, time + rate.refused(sentAt, retryAfter(service, wait, time)));
        }
        pump();
      });
    });
  }

  function pump(): void {
    while (waiting > 0 && inFlight < concurrency) {
      const wait = Math.max(pausedUntil - time, rate.wait());
      if (wait > 0) {
        // Timers wake by whole milliseconds, and a little late.
        const at = time + Math.ceil(wait) + 0.3;
        if (at < wakesAt) {
          wakesAt = at;
          later(at - time, () => {
            if (wakesAt === at) wakesAt = Number.POSITIVE_INFINITY;
            pump();
          });
        }
        return;
      }
      send();
    }
  }

  pump();
  while (granted < count) {
    let first = 0;
    for (const [index, { at }] of events.entries()) if (at < (events[first]?.at ?? 0)) first = index;
    const [event] = events.splice(first, 1);
    if (event === undefined) throw new Error("nothing is going on any more");
    time = event.at;
    event.run();
  }
  return {
    seconds: (time - startAt) / 1000,
    ideal: idealSeconds(service, count),
    refused: refused.map((number) => number / requests),
    requests,
    learned: rate.learned(),
    endedAt: time,
  };
}

/** Undefined grants a request; a number is the milliseconds until one will be granted. */
function createGate({ perSecond, burst = 1, window }: VirtualService, clock: () => number): () => number | undefined {
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
