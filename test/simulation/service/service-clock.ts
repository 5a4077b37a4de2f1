import { utcString } from "../../../lib/events/build/date-string.ts";

/** The wall clock of the service: local time in a zone it never names, set forward or back once. */
export interface ServiceClock {
  /** Milliseconds to add to UTC before the change, after it, and when it is (epoch milliseconds). */
  offset: number;
  offsetAfter: number;
  changesAt: number;
}

/** Local time as a number that is in the order of its strings. */
export function localTime(clock: ServiceClock, at: number): number {
  return Math.floor((at + (at < clock.changesAt ? clock.offset : clock.offsetAfter)) / 1000) * 1000;
}

export function localString(clock: ServiceClock, at: number): string {
  return utcString(localTime(clock, at));
}
