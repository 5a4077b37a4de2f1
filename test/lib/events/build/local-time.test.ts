import { describe, expect, it } from "vitest";
import { toMoment } from "../../../../lib/events/build/local-time.ts";

it.each([
  ["2026-01-15 12:00:00", "Europe/Warsaw", "2026-01-15T11:00:00Z"],
  ["2026-07-15 12:00:00", "Asia/Kolkata", "2026-07-15T06:30:00Z"],
  ["2026-01-01 00:30:00", "Pacific/Kiritimati", "2025-12-31T10:30:00Z"],
  ["2026-01-15 12:00:00", "UTC", "2026-01-15T12:00:00Z"],
  // The clocks go from 02:00 to 03:00: the string is taken by the old offset.
  ["2026-03-29 02:30:00", "Europe/Warsaw", "2026-03-29T01:30:00Z", true],
  // They go forward at midnight: the day has no first hour.
  ["2026-03-29 00:30:00", "Asia/Beirut", "2026-03-28T22:30:00Z", true],
  // A whole day is skipped, when the date line was moved.
  ["2011-12-30 12:00:00", "Pacific/Apia", "2011-12-30T22:00:00Z", true],
  // They go back: of two instants it is the earlier one.
  ["2026-10-25 02:30:00", "Europe/Warsaw", "2026-10-25T00:30:00Z", true],
  // Ireland's law calls winter time the deviation.
  ["2026-10-25 01:30:00", "Europe/Dublin", "2026-10-25T00:30:00Z", true],
])("%s in %s is %s, and what the clock skips or shows twice is ambiguous", (local, zone, at, ambiguous?: boolean) => {
  expect(toMoment(local, zone)).toEqual({ local, at, ...(ambiguous && { ambiguous }) });
});

describe("around each change of the clock", () => {
  it.each([
    ["Europe/Warsaw", 60, ["2026-03-29", "2026-10-25"]],
    ["America/New_York", 60, ["2026-03-08", "2026-11-01"]],
    ["Australia/Lord_Howe", 30, ["2026-04-05", "2026-10-04"]],
  ])("in %s the dates of three days are what the zone's own clock shows", (zone, fold, days) => {
    const twice: string[] = [];
    const never: string[] = [];
    for (const day of days.map((date) => Date.parse(date))) {
      const shown = clockOf(zone, day - 3 * DAY, day + 4 * DAY);
      for (let minute = day - DAY; minute < day + 2 * DAY; minute += STEP) {
        const local = text(minute);
        const [first, second] = shown.get(local) ?? [];
        const moment = toMoment(local, zone);
        const at = first === undefined ? moment.at : `${text(first).replace(" ", "T")}Z`;
        const isAmbiguous = first === undefined || second !== undefined;
        expect(moment).toEqual({ local, at, ...(isAmbiguous ? { ambiguous: true } : {}) });
        if (second !== undefined) twice.push(local);
        if (first !== undefined) continue;
        never.push(local);
        // What the clock skips is as far behind it as it was set forward.
        expect(shown.get(text(minute + fold * MINUTE))).toEqual([Date.parse(moment.at ?? "")]);
      }
    }
    expect(twice).toHaveLength((fold * MINUTE) / STEP);
    expect(never).toHaveLength((fold * MINUTE) / STEP);
  });
});

const MINUTE = 60_000;
const STEP = 5 * MINUTE;
const DAY = 24 * 60 * MINUTE;

const text = (minute: number): string => new Date(minute).toISOString().slice(0, 19).replace("T", " ");

/** The instants at which the clock of a zone shows each local time, by the runtime's own formatter. */
function clockOf(zone: string, from: number, until: number): Map<string, number[]> {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const shown = new Map<string, number[]>();
  for (let instant = from; instant < until; instant += STEP) {
    const local = format.format(instant);
    shown.set(local, [...(shown.get(local) ?? []), instant]);
  }
  return shown;
}

describe("no instant is invented", () => {
  it("without a zone", () => {
    expect(toMoment("2026-03-10 12:00:00", undefined)).toEqual({ local: "2026-03-10 12:00:00" });
  });

  it.each([null, "", "0000-00-00 00:00:00", "2026-02-30 10:00:00", "2026-03-10", "2026-03-10 12:00:00Z"])(
    "for %j",
    (local) => {
      expect(toMoment(local, "Europe/Warsaw")).toEqual({ local });
    },
  );
});
