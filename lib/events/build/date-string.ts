// A date string of the service names no zone, and this form sorts as time does. The one look at our own clock is `credible`.

/** No year before 100: services write the years 0 and 1 where they know no date. */
const FORM = /^(?!00)\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** Clocks fold by an hour or two when the zone changes its offset. */
export const MARGIN = 3 * 3_600_000;
/** The easternmost zone is 14 h ahead of UTC; the rest is room for a wrong clock. */
const FURTHEST_AHEAD = 26 * 3_600_000;
/** The westernmost zone is 12 h behind UTC. */
export const FURTHEST_BEHIND = 12 * 3_600_000;

/** Each date of a page is looked at several times, and again at the next poll. */
const known = new Map<string, number | undefined>();
const MOST_KNOWN = 10_000;

/** Epoch milliseconds the string would name in UTC; undefined when it is no date of the documented form. */
export function asUtc(local: string): number | undefined {
  if (known.has(local)) return known.get(local);
  if (known.size >= MOST_KNOWN) known.clear();
  const read = FORM.test(local) ? Date.parse(`${local.replace(" ", "T")}Z`) : Number.NaN;
  // Date.parse rolls the 31st of April over to May, and 24:00 to the next day.
  const at = new Date(read).getUTCDate() === Number(local.slice(8, 10)) ? read : undefined;
  known.set(local, at);
  return at;
}

/** A date string of the documented form that names `at` (epoch milliseconds) in UTC. */
export function utcString(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

/** Whether a text is a real date of the documented form. */
export function isDateString(local: string): boolean {
  return asUtc(local) !== undefined;
}

/** Whether a date may be relied upon: documented form, a real date, not in the future. */
export function credible(local: string | null, now: number): local is string {
  return local !== null && isDateString(local) && (asUtc(local) ?? 0) <= now + FURTHEST_AHEAD;
}

/** The latest instant (epoch milliseconds) that a credible date string can name, whatever its zone. */
export function latestInstant(local: string): number {
  return (asUtc(local) ?? 0) + FURTHEST_BEHIND;
}
