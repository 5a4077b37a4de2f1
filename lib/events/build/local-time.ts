import { Temporal } from "temporal-polyfill";
import type { Moment } from "../response-completed.ts";
import { isDateString } from "./date-string.ts";

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
  if (local === null || timeZone === undefined || !isDateString(local)) return { local };
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
