import { Temporal } from "temporal-polyfill";
import { asUtc } from "../../events/build/date-string.ts";
import { isInteger, isText } from "../../events/build/fields.ts";
import type { Page } from "../../polling/index.ts";
import type { Seen } from "./findings.ts";
import { datesOf } from "./lists.ts";

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const WESTERNMOST = -12 * 60 * MINUTE;
const EASTERNMOST = 14 * 60 * MINUTE;
/** Clocks that differ by less are the same one. */
const SAME_CLOCK = 2 * MINUTE;
/** Zones that are named where several fit. */
const MOST_NAMED = 4;

/** An instant, and the offset from UTC that the service's strings had then. Milliseconds. */
type Evidence = { at: number; offset: number };

/**
 * In which zone the service writes its dates. `created` of a survey is an instant and its `modified` a string: where nobody has edited the survey
 * they are the same moment. Whatever was edited gives an upper limit of the offset, and each date of a response, which is past, a lower one.
 *
 * @returns also all IANA zones that fit, and one of them where the sample leaves no doubt about its offset
 */
export function zoneSeen(
  rows: readonly Record<string, unknown>[],
  pages: readonly Page[],
  now: number,
): { seen: Seen; zone?: string | undefined; zones: string[] } {
  const ages = rows.flatMap(({ created, modified }) => {
    const local = isText(modified) ? asUtc(modified) : undefined;
    return isInteger(created) && local !== undefined ? [{ at: created * 1000, lead: local - created * 1000 }] : [];
  });
  const timeOf = (date: unknown): number => (isText(date) ? asUtc(date) : undefined) ?? Number.NEGATIVE_INFINITY;
  const dates = pages.flatMap(({ runs }) => runs.flatMap((run) => Object.values(datesOf(run, now))));
  const newest = Math.max(...[...dates, ...rows.map(({ modified }) => modified)].map(timeOf));
  const least = newest - now - SAME_CLOCK;
  const most = Math.min(EASTERNMOST, ...ages.map(({ lead }) => lead));

  const evidence = ages.flatMap(({ at, lead }): Evidence[] => {
    const offset = Math.round(lead / QUARTER) * QUARTER;
    const fits = Math.abs(lead - offset) <= 1_000 && offset >= Math.max(WESTERNMOST, least);
    // An hour more is summer time; anything more was edited later, by chance at the same minute.
    return fits && offset <= most + 61 * MINUTE ? [{ at, offset }] : [];
  });
  if (evidence.length === 0) evidence.push(...byLimits(least, most, now));
  if (evidence.length === 0) {
    const limits = `by the dates it lies between ${offsetText(Math.max(WESTERNMOST, least))} and ${offsetText(most)}`;
    return { seen: Number.isFinite(newest) ? limits : "there are no dates", zones: [] };
  }

  const zones = zonesWith(evidence);
  // UTC before all others, then the zone of this machine: both are likelier than one of a hundred.
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const only = zones.length === 1 ? zones[0] : undefined;
  const zone = ["UTC", own].find((one) => zones.includes(one)) ?? only;
  const offsets = [...new Set(evidence.map(({ offset }) => offsetText(offset)))].sort();
  const more = zones.length > MOST_NAMED ? [`${zones.length - MOST_NAMED} more`] : [];
  const named = [...zones.slice(0, MOST_NAMED), ...more];
  // Where the newest date is later than now, one of the two clocks is wrong.
  const minutes = Math.round((newest - Math.max(...evidence.map((one) => one.offset)) - now) / MINUTE);
  const ahead = Number.isFinite(newest) && minutes > 2 ? `; its newest date is ${minutes} min ahead of our clock` : "";
  const says = `${zone ?? (named.join(", ") || "no zone that is known")}${ahead}`;
  return { seen: [offsets.join(" and "), says], zones, zone };
}

/** The only whole half hour between the limits, if they leave one alone. */
function byLimits(least: number, most: number, now: number): Evidence[] {
  const half = 2 * QUARTER;
  const first = Math.ceil(Math.max(WESTERNMOST, least) / half) * half;
  return first <= most && first + half > most ? [{ at: now, offset: first }] : [];
}

function zonesWith(evidence: readonly Evidence[]): string[] {
  const offsetIn = (zone: string, at: number): number =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
  const fits = (zone: string): boolean => evidence.every(({ at, offset }) => offsetIn(zone, at) === offset);
  const zones = Intl.supportedValuesOf("timeZone").filter(fits);
  // Most accounts are there.
  const isLikely = (zone: string): boolean => zone.startsWith("Europe/");
  return [...["UTC"].filter(fits), ...zones.filter(isLikely), ...zones.filter((zone) => !isLikely(zone))];
}

function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / MINUTE));
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
