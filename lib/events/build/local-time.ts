import { Temporal } from "temporal-polyfill";
import type { Moment } from "../response-completed.ts";
import { asUtc } from "./date-string.ts";

/** The date string that the service writes at an instant (epoch milliseconds). */
export function localString(at: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "second" }).replace("T", " ");
}

/**
 * A date string of the service with its instant, when the zone is known.
 *
 * A clock set back makes some strings name two instants: the earlier is given. A clock set forward skips some: the
 * instant is taken as if the clock had not been set yet. Both are marked `ambiguous`.
 */
export function toMoment(local: string | null, timeZone: string | undefined): Moment {
  // Anything but the documented form may mean another thing than it seems to: no instant is invented.
  const shown = local === null ? undefined : asUtc(local);
  if (local === null || timeZone === undefined || shown === undefined) return { local };
  const day = shown - (shown % DAY);
  const ahead = aheadAt(day, timeZone);
  if (ahead === undefined || ahead !== aheadAt(day + DAY, timeZone)) return onDayOfChange(local, timeZone);
  return { local, at: new Date(shown - ahead).toISOString().replace(".000Z", "Z") };
}

const DAY = 86_400_000;
/** By zone and midnight. */
const known = new Map<string, number | undefined>();
const MOST_KNOWN = 10_000;

/**
 * How many milliseconds a midnight (as `asUtc` gives it) is ahead of UTC. Undefined where the clock does not show it exactly once, or the
 * zone is not known. A history has thousands of dates on few days, and to ask for the zone of each costs much.
 */
function aheadAt(midnight: number, timeZone: string): number | undefined {
  const key = `${timeZone} ${midnight}`;
  if (known.has(key)) return known.get(key);
  if (known.size >= MOST_KNOWN) known.clear();
  let ahead: number | undefined;
  try {
    const shown = Temporal.Instant.fromEpochMilliseconds(midnight).toZonedDateTimeISO("UTC").toPlainDateTime();
    ahead = midnight - shown.toZonedDateTime(timeZone, { disambiguation: "reject" }).epochMilliseconds;
  } catch {}
  known.set(key, ahead);
  return ahead;
}

/** The same for a day on which the clock may be set. */
function onDayOfChange(local: string, timeZone: string): Moment {
  try {
    const plain = Temporal.PlainDateTime.from(local.replace(" ", "T"));
    const earlier = plain.toZonedDateTime(timeZone, { disambiguation: "earlier" });
    const later = plain.toZonedDateTime(timeZone, { disambiguation: "later" });
    // In a gap "later" shifts by the old offset, which is what "compatible" means.
    const inGap = !earlier.toPlainDateTime().equals(plain);
    const at = (inGap ? later : earlier).toInstant().toString({ smallestUnit: "second" });
    return earlier.epochMilliseconds === later.epochMilliseconds ? { local, at } : { local, at, ambiguous: true };
  } catch {
    return { local };
  }
}
