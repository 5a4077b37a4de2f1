import { asUtc, isDateString, utcString } from "../../events/build/date-string.ts";

// Date strings of the service carry no zone: they are compared with each other only, as text, which for this form is
// the order of time. The one look at our own clock is `credible`.

/** Clocks fold by an hour or two when the zone changes its offset. */
export const MARGIN = 3 * 3_600_000;
/** The easternmost zone is 14 h ahead of UTC; the rest is room for a wrong clock. */
const FURTHEST_AHEAD = 26 * 3_600_000;
/** The westernmost zone is 12 h behind UTC. */
const FURTHEST_BEHIND = 12 * 3_600_000;

/** Whether a date may set a floor or settle a response: documented form, a real date, not in the future. */
export function credible(local: string | null, now: number): local is string {
  return local !== null && isDateString(local) && (asUtc(local) ?? 0) <= now + FURTHEST_AHEAD;
}

/** The date string `milliseconds` before `local`, which must be a credible one. */
export function before(local: string, milliseconds: number): string {
  const at = asUtc(local);
  return at === undefined ? local : utcString(at - milliseconds);
}

/** The latest instant (epoch milliseconds) that a credible date string can name, whatever its zone. */
export function latestInstant(local: string): number {
  return (asUtc(local) ?? 0) + FURTHEST_BEHIND;
}

/** The earliest date string that something may carry that happens after `at` (epoch milliseconds), whatever its zone. */
export function earliestString(at: number): string {
  return utcString(at - FURTHEST_BEHIND);
}

/** The larger of two date strings. */
export function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
