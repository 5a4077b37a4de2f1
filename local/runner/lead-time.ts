/** Ticks whose time is kept. */
const KEPT = 10;
/** Greatest part of the interval by which a tick begins early. The time saved must not cost more than a twentieth of the requests. */
const MOST = 1 / 20;

/** By how much ticks begin early, so that what completes right after one has read the survey list still goes out within an interval. */
export interface LeadTime {
  /** Notes how long a tick took, in milliseconds. */
  took(duration: number): void;
  /** Milliseconds: what the slowest of the last ticks took, up to a twentieth of the interval. */
  milliseconds(): number;
}

/** @param interval milliseconds */
export function createLeadTime(interval: number): LeadTime {
  const durations: number[] = [];
  return {
    took(duration) {
      durations.push(duration);
      if (durations.length > KEPT) durations.shift();
    },
    milliseconds: () => Math.min(interval * MOST, Math.max(0, ...durations)),
  };
}
