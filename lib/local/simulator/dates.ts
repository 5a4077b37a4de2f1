import { Temporal } from "temporal-polyfill";

/** An IANA zone, UTC, or what is to be added to an instant (all in milliseconds): for a clock that no zone describes. */
export type Zone = string | ((instant: number) => number);

const quarterHour = 900_000;
const offsets = new Map<string, number>();

/** The wall-clock time of an instant in a zone, as epoch milliseconds of the same digits in UTC. */
export function localTime(instant: number, zone: Zone): number {
  if (typeof zone === "function") return instant + zone(instant);
  return zone === "UTC" ? instant : instant + offsetAt(instant, zone);
}

/** `YYYY-MM-DD HH:MM:SS` in `zone`, the date-time string of every payload; fractions of a second are dropped. */
export function dateTimeString(instant: number, zone: Zone): string {
  return new Date(localTime(instant, zone)).toISOString().slice(0, 19).replace("T", " ");
}

/** Throws a RangeError when `zone` is no IANA zone. */
export function checkZone(zone: Zone): void {
  if (typeof zone === "string" && zone !== "UTC") Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
}

// Offsets are looked up once a quarter of an hour: no zone changes its offset inside one. A lookup costs too much to be made for each of a
// million responses.
function offsetAt(instant: number, zone: string): number {
  const quarter = Math.floor(instant / quarterHour);
  const key = `${zone} ${quarter}`;
  const start = Temporal.Instant.fromEpochMilliseconds(quarter * quarterHour);
  const offset = offsets.get(key) ?? start.toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
  offsets.set(key, offset);
  return offset;
}
