/** The rate that a client has learned of a service, as plain JSON: handed to the next run, which then need not be refused to know. */
export interface LearnedRate {
  /** Requests a second that the service has been seen to sustain. */
  requestsPerSecond: number;
  /** Epoch milliseconds. */
  at: number;
}

export interface AllowedRateOptions {
  /** Never exceeded; no limit when left out. */
  maxRequestsPerSecond?: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds of a clock that is never set. */
  monotonic: () => number;
}

/** Requests a second: at least this is asked, whatever is refused, and this after the first refusal. */
const LEAST = 0.1;
const LEAST_AT_FIRST = 2;
/** A refusal takes the rate down to what was granted before it, but at least and at most by these factors. */
const LEAST_DECREASE = 0.95;
const MOST_DECREASE = 0.5;
/** Growth a second of a rate that is used up: a share of it, and a least amount. It is doubled after so many seconds without a refusal. */
const INCREASE = 0.005;
const LEAST_INCREASE = 0.02;
const CALM_SECONDS = 2.5;
/** Until it is refused for the second time, the rate doubles in a second, which is also the most that it ever grows. */
const MOST_INCREASE = Math.LN2;
/** Milliseconds below which a span says nothing. */
const SHORTEST_SPAN = 1_000;
/** Seconds of the rate that may go out at once after a rest. */
const BURST_SECONDS = 0.02;
/**
 * Milliseconds of the shortest pause, doubled for each refusal while nothing is granted. Only the first of these refusals is taken at its
 * word. A Retry-After that was followed by another refusal was too short, and the next one may only make the pause longer.
 */
const LEAST_PAUSE = 100;
const MOST_PAUSE = 30_000;
/** Milliseconds up to which a pause that the service asked for grows: where it has said so much, others may have been granted meanwhile. */
const MOST_GROWN = 2_000;

/**
 * How many requests may go out, and when: the rate that a service allows, learned from its refusals by additive increase and
 * multiplicative decrease. The service is taken for a bucket of tokens, as most are. It is empty at each refusal, so between two of them it
 * granted just what it sustains.
 */
export function createAllowedRate({ now, monotonic, ...options }: AllowedRateOptions) {
  const ceiling = options.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY;
  /** Requests a second; infinite until the first refusal: most services are never asked too much. */
  let rate = Number.POSITIVE_INFINITY;
  /** Requests a second that the service is known to sustain; undefined until it refuses something. */
  let known: number | undefined;
  let searching = false;
  let tokens = 1;
  let filledAt = monotonic();
  let refusedAt = Number.NEGATIVE_INFINITY;
  /** Since when it is counted what is granted: the last refusal, or the beginning. */
  let countedFrom = filledAt;
  let grantedSince = 0;
  /** Refusals since anything was granted. */
  let refusals = 0;
  /** After a refusal one request is sent to see whether the service grants again, before all the others. */
  let scoutIsOut = false;
  /** Whether anything had to wait for the rate, without which its growth would prove nothing. */
  let usedUp = false;
  /** Seconds in which the rate was used up and nothing refused. */
  let calm = 0;

  /** Fills the bucket up to now, and gives the requests a second that may go out. */
  function refill(at: number): number {
    const pace = Math.min(rate, ceiling);
    const most = Math.max(1, pace * BURST_SECONDS);
    if (pace < Number.POSITIVE_INFINITY) tokens = Math.min(most, tokens + ((at - filledAt) / 1000) * pace);
    filledAt = at;
    return pace;
  }

  const granted = (at: number): number => (grantedSince * 1000) / Math.max(SHORTEST_SPAN, at - countedFrom);
  const decreased = (at: number): number =>
    Math.max(LEAST, Math.min(rate * LEAST_DECREASE, Math.max(rate * MOST_DECREASE, granted(at))));

  function growth(): number {
    if (searching) return MOST_INCREASE;
    return Math.min(MOST_INCREASE, Math.max(LEAST_INCREASE / rate, INCREASE) * 2 ** Math.floor(calm / CALM_SECONDS));
  }

  return {
    /** Milliseconds until one more request may go out; 0: now; infinite: not before another one is over. */
    wait(): number {
      const pace = refill(monotonic());
      if (scoutIsOut) return Number.POSITIVE_INFINITY;
      if (tokens >= 1 || pace === Number.POSITIVE_INFINITY) return 0;
      usedUp = rate < ceiling;
      return ((1 - tokens) / pace) * 1000;
    },
    /** One request goes out. */
    take(): void {
      refill(monotonic());
      tokens = Math.max(0, tokens - 1);
      scoutIsOut = refusals > 0;
    },
    /** One request is over, however it ended. */
    finished(): void {
      scoutIsOut = false;
    },
    /** An answer other than 429 has come. */
    granted(): void {
      grantedSince += 1;
      refusals = 0;
      if (!usedUp || known === undefined) return;
      refill(monotonic());
      calm += 1 / rate;
      rate += growth();
      if (tokens >= 1) usedUp = false;
    },
    /** 429 has come for a request sent at `sentAt` (monotonic); gives the milliseconds for which nothing should go out. */
    refused(sentAt: number, retryAfter: number | undefined): number {
      const at = monotonic();
      // Requests that were on their way together are refused together: that is one refusal.
      if (sentAt <= refusedAt) return retryAfter ?? 0;
      refill(at);
      // While nothing at all is granted, it is the pause that was too short, which says nothing about the rate. Nor does so short a time.
      if (known === undefined || (grantedSince > 0 && at - countedFrom >= SHORTEST_SPAN)) {
        searching = known === undefined;
        // What was granted up to the first refusal came out of a full bucket.
        rate = searching ? Math.max(LEAST_AT_FIRST, granted(at + (retryAfter ?? 0))) : decreased(at);
        known = rate;
        countedFrom = at;
        grantedSince = 0;
      }
      refusedAt = at;
      tokens = 0;
      calm = 0;
      refusals += 1;
      const grown = Math.min(retryAfter ? MOST_GROWN : MOST_PAUSE, LEAST_PAUSE * 2 ** (refusals - 1));
      // Zero seconds, or a date that is over, would mean to ask again at once: that is what was just refused.
      return refusals === 1 ? retryAfter || grown : Math.max(retryAfter ?? 0, grown);
    },
    /** Undefined while nothing was ever refused. */
    learned(): LearnedRate | undefined {
      if (known === undefined) return undefined;
      // The rate of this moment may be one that is only being tried.
      known = Math.max(known, Math.min(rate, granted(monotonic())));
      return { requestsPerSecond: known, at: now() };
    },
    /** Takes over what another client of the service has learned, in the place of what was learned here. */
    learn({ requestsPerSecond }: LearnedRate): void {
      // A rate from outside may be next to nothing. With that, no refusal would ever put it right.
      rate = Math.max(LEAST, requestsPerSecond);
      known = rate;
      searching = false;
      calm = 0;
      usedUp = false;
      countedFrom = monotonic();
      grantedSince = 0;
    },
  };
}
