import { createGrants } from "./grants.ts";

/** The rate that a limiter has learned of a service, as plain JSON: handed to the next run, which then need not be refused to know. */
export interface LearnedRate {
  /** Requests a second that the service has been seen to sustain. */
  requestsPerSecond: number;
  /** Requests that it grants at once after a rest. */
  burst: number;
  /** Whether the rate was still being searched for, from below. */
  searching: boolean;
  /** Epoch milliseconds. */
  at: number;
}

export interface AllowedRateOptions {
  /** Requests a second that are never exceeded; none when left out. */
  ceiling?: number;
  /** From an earlier run. */
  learned?: LearnedRate;
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds of a clock that is never set. */
  monotonic: () => number;
}

/** How many requests may go out, and when. */
export interface AllowedRate {
  /** Milliseconds until one more request may go out; 0: now; infinite: not before another one is over. */
  wait(): number;
  /** One request goes out. */
  take(): void;
  /** One request is over, however it ended. */
  finished(): void;
  /** An answer other than 429 has come. */
  granted(): void;
  /** 429 has come for a request sent at `sentAt` (monotonic); gives the milliseconds for which nothing should go out. */
  refused(sentAt: number, retryAfter: number | undefined): number;
  /** The rate that was learned; undefined while nothing was ever refused. */
  learned(): LearnedRate | undefined;
  /** Takes over what another client of the service has learned, in the place of what was learned here. */
  learn(learned: LearnedRate): void;
  /** Goes on as one of several that share what the service allows. */
  share(share: Share): void;
}

/** One client's part of a rate that several share. */
export interface Share {
  /** Of the ceiling, from 0 to 1. */
  part: number;
  /** By how much its rate and its burst change, as others take more or less; 1 as long as nothing was learned. */
  rate: number;
  burst: number;
}

/** Requests a second: at least this is asked, whatever is refused, and this at first. */
const LEAST = 0.1;
const LEAST_AT_FIRST = 2;
/** A refusal takes the rate down to what was sustained before it, but at least and at most by these factors. */
const LEAST_DECREASE = 0.95;
const MOST_DECREASE = 0.5;
/** Seconds after a decrease in which a further refusal may show that the service allows far less than before. */
const SOON = 5;
/**
 * Growth for each second in which the rate is used up: a share of it, and a least amount. It is doubled after so many seconds without a
 * refusal.
 */
const INCREASE = 0.005;
const LEAST_INCREASE = 0.02;
const CALM_SECONDS = 10;
/** Beside that, a share of what is missing to the rate that was refused last: far below it there is little to fear. */
const RETURN = 0.1;
/** While the rate is searched for it doubles in a second, which is also the most it ever grows. */
const MOST_INCREASE = Math.LN2;
/** Of the burst that was seen only so much is used: a part may have been spent by someone else. */
const BURST_USED = 0.6;
/** More than the rate by this factor went out in a second: then the burst may have been too much. */
const BURSTING = 1.3;
/**
 * Milliseconds of the shortest pause, doubled for each refusal while nothing is granted. Only the first of these refusals is taken at its
 * word. A Retry-After that was followed by another refusal was too short, and the next one may only make the pause longer.
 */
const LEAST_PAUSE = 100;
const MOST_PAUSE = 30_000;
/** Milliseconds up to which a pause that the service asked for grows: where it has said so much, others may have been granted meanwhile. */
const MOST_GROWN = 2_000;
/** A smaller part of the ceiling would be none. */
const LEAST_PART = 0.01;
/** Milliseconds by which a timer may wake late without lowering the ceiling's rate. */
const SLACK = 20;

/**
 * The rate that a service allows, learned from its refusals by additive increase and multiplicative decrease. The service
 * is taken for a bucket of tokens, as most are: in any span of time it grants no more than `burst + rate × seconds`. So
 * what it did grant in a span bounds its rate from below, and a decrease need not go below that. A service of another kind is
 * met with the plain factors.
 */
export function createAllowedRate(options: AllowedRateOptions): AllowedRate {
  const { monotonic, now } = options;
  const wholeSpacing = options.ceiling === undefined ? 0 : 1000 / options.ceiling;
  let spacing = wholeSpacing;
  const grants = createGrants();
  let known = options.learned && atLeast(options.learned);
  /** Requests a second; infinite until the first refusal: most services are never asked too much. */
  let rate = known?.requestsPerSecond ?? Number.POSITIVE_INFINITY;
  let burst = known?.burst ?? 0;
  let searching = known?.searching ?? false;
  let tokens = known === undefined ? 0 : Math.min(capacity(), savedUp(known));
  let filledAt = monotonic();
  /** The ceiling's own place in time. */
  let nextAt = filledAt;
  let decreasedAt = Number.NEGATIVE_INFINITY;
  let refusedRate = 0;
  let refusals = 0;
  /** Requests granted since the rate was decreased last. */
  let grantedSince = 0;
  /** After a refusal one request is sent to see whether the service grants again, before all the others. */
  let scoutIsOut = false;
  /** Whether anything had to wait for the rate, without which its growth would prove nothing. */
  let usedUp = false;
  let calm = 0;
  let beforeFirst: { granted: number; seconds: number } | undefined;

  /** Tokens that have come since it was learned. */
  function savedUp({ requestsPerSecond, at }: LearnedRate): number {
    return (Math.max(0, now() - at) / 1000) * requestsPerSecond;
  }

  function capacity(): number {
    return Math.max(1, burst * BURST_USED);
  }

  function refill(at: number): void {
    if (rate !== Number.POSITIVE_INFINITY) tokens = Math.min(capacity(), tokens + ((at - filledAt) / 1000) * rate);
    filledAt = at;
  }

  function beginSearch(at: number, retryAfter: number): void {
    beforeFirst = grants.recent(at);
    burst = Math.max(1, beforeFirst.granted);
    rate = Math.max(LEAST_AT_FIRST, burst / Math.max(1, beforeFirst.seconds + retryAfter / 1000));
    searching = true;
  }

  function decrease(at: number): void {
    if (!searching && grants.since(at - 1000) > rate * BURSTING + 3) burst = Math.max(1, burst / 2);
    refusedRate = rate;
    const sustained = limitFell(at) ?? grants.sustained(at, burst, decreasedAt);
    rate = Math.max(LEAST, Math.min(rate * LEAST_DECREASE, Math.max(rate * MOST_DECREASE, sustained)));
    searching = false;
    // While the first burst was granted, the bucket was filled on.
    if (beforeFirst !== undefined) {
      burst = Math.max(1, Math.min(burst, beforeFirst.granted - rate * beforeFirst.seconds));
    }
  }

  /** Requests a second granted since the last decrease, where that is so short ago and so little that what was granted before says nothing. */
  function limitFell(at: number): number | undefined {
    const seconds = (at - decreasedAt) / 1000;
    if (seconds > SOON) return undefined;
    const granted = grantedSince / seconds;
    return granted < rate * MOST_DECREASE ? granted : undefined;
  }

  function growth(): number {
    if (searching) return MOST_INCREASE;
    const additive = Math.max(LEAST_INCREASE, rate * INCREASE) * 2 ** Math.floor(calm / CALM_SECONDS);
    return Math.min(MOST_INCREASE, (additive + Math.max(0, refusedRate - rate) * RETURN) / rate);
  }

  return {
    wait() {
      const at = monotonic();
      refill(at);
      if (scoutIsOut) return Number.POSITIVE_INFINITY;
      const forTokens = rate === Number.POSITIVE_INFINITY || tokens >= 1 ? 0 : ((1 - tokens) / rate) * 1000;
      if (forTokens > 0) usedUp = true;
      return Math.max(0, forTokens, nextAt - at);
    },
    take() {
      const at = monotonic();
      refill(at);
      tokens = Math.max(0, tokens - 1);
      nextAt = Math.max(nextAt, at - SLACK) + spacing;
      scoutIsOut = refusals > 0;
    },
    finished() {
      scoutIsOut = false;
    },
    granted() {
      const at = monotonic();
      grants.add(at);
      grantedSince += 1;
      refusals = 0;
      if (!usedUp || rate === Number.POSITIVE_INFINITY) return;
      refill(at);
      calm += 1 / rate;
      rate += growth();
      if (tokens >= 1) usedUp = false;
    },
    refused(sentAt, retryAfter) {
      const at = monotonic();
      // Requests that were on their way together are refused together: that is one refusal.
      if (sentAt <= decreasedAt) return retryAfter ?? 0;
      refill(at);
      if (rate === Number.POSITIVE_INFINITY) beginSearch(at, retryAfter ?? 0);
      // While nothing at all is granted, it is the pause that was too short, which says nothing about the rate.
      else if (grantedSince > 0 || searching) decrease(at);
      known = { requestsPerSecond: rate, burst, searching, at: now() };
      decreasedAt = at;
      grantedSince = 0;
      tokens = 0;
      calm = 0;
      refusals += 1;
      const most = retryAfter ? MOST_GROWN : MOST_PAUSE;
      const grown = Math.min(most, LEAST_PAUSE * 2 ** (refusals - 1));
      // Zero seconds, or a date that is over, would mean to ask again at once: that is what was just refused.
      return refusals === 1 ? retryAfter || grown : Math.max(retryAfter ?? 0, grown);
    },
    learned() {
      if (known === undefined) return undefined;
      // The rate of this moment may be one that is only being tried.
      const proved = Math.min(rate, grants.sustained(monotonic(), burst, decreasedAt));
      // Kept, since an idle minute proves less, and takes nothing back.
      known = { requestsPerSecond: Math.max(known.requestsPerSecond, proved), burst, searching, at: now() };
      return known;
    },
    learn(given) {
      const learned = atLeast(given);
      const at = monotonic();
      refill(at);
      const saved = rate === Number.POSITIVE_INFINITY ? savedUp(learned) : tokens;
      known = learned;
      ({ requestsPerSecond: rate, burst, searching } = learned);
      tokens = Math.min(capacity(), saved);
      // What was met here belongs to another rate.
      refusedRate = 0;
      beforeFirst = undefined;
      calm = 0;
      usedUp = false;
    },
    share({ part, rate: byRate, burst: byBurst }) {
      refill(monotonic());
      if (known !== undefined) {
        rate = Math.max(LEAST, rate * byRate);
        refusedRate *= byRate;
        burst = Math.max(1, burst * byBurst);
        tokens = Math.min(capacity(), tokens * byBurst);
        known = atLeast({ requestsPerSecond: known.requestsPerSecond * byRate, burst, searching, at: now() });
      }
      spacing = wholeSpacing / Math.min(1, Math.max(LEAST_PART, part));
    },
  };
}

/** A rate from outside may be next to nothing. With that, nothing would go out for days, and no refusal would ever put it right. */
function atLeast(learned: LearnedRate): LearnedRate {
  const { requestsPerSecond, burst } = learned;
  return { ...learned, requestsPerSecond: Math.max(LEAST, requestsPerSecond), burst: Math.max(1, burst) };
}
