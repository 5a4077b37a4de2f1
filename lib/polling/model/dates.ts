import { FURTHEST_BEHIND, utcString } from "../../events/build/date-string.ts";

// Date strings of the service are compared with each other only, as text.

/** The earliest date string, in any zone, of something that happens after `at` (epoch milliseconds). */
export function earliestString(at: number): string {
  return utcString(at - FURTHEST_BEHIND);
}

/** The larger of two date strings. */
export function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
