import { describe, expect, it } from "vitest";
import { toMoment } from "../../../lib/polling/local-time.ts";

describe("a date of the service with a known zone", () => {
  it.each([
    ["2026-01-15 12:00:00", "Europe/Warsaw", "2026-01-15T11:00:00Z"],
    ["2026-07-15 12:00:00", "Europe/Warsaw", "2026-07-15T10:00:00Z"],
    ["2026-07-15 12:00:00", "Asia/Kolkata", "2026-07-15T06:30:00Z"],
    ["2026-01-01 00:30:00", "Pacific/Kiritimati", "2025-12-31T10:30:00Z"],
    ["2026-01-15 12:00:00", "UTC", "2026-01-15T12:00:00Z"],
  ])("%s in %s is %s", (local, zone, at) => {
    expect(toMoment(local, zone)).toEqual({ local, at });
  });

  it.each([
    // The clocks go from 02:00 to 03:00 on 29 March: the string is taken by the old offset.
    ["2026-03-29 02:30:00", "Europe/Warsaw", "2026-03-29T01:30:00Z"],
    ["2026-03-08 02:00:00", "America/New_York", "2026-03-08T07:00:00Z"],
    // Half an hour is skipped on Lord Howe.
    ["2026-10-04 02:15:00", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"],
  ])("%s in %s, which the clock skips, is marked ambiguous", (local, zone, at) => {
    expect(toMoment(local, zone)).toEqual({ local, at, ambiguous: true });
  });

  it.each([
    ["2026-10-25 02:30:00", "Europe/Warsaw", "2026-10-25T00:30:00Z"],
    ["2026-11-01 01:00:00", "America/New_York", "2026-11-01T05:00:00Z"],
  ])("%s in %s, which the clock shows twice, is the earlier one and marked ambiguous", (local, zone, at) => {
    expect(toMoment(local, zone)).toEqual({ local, at, ambiguous: true });
  });

  it.each([
    ["2026-03-29 01:59:59", "2026-03-29T00:59:59Z"],
    ["2026-03-29 03:00:00", "2026-03-29T01:00:00Z"],
    ["2026-10-25 01:59:59", "2026-10-24T23:59:59Z"],
    ["2026-10-25 03:00:00", "2026-10-25T02:00:00Z"],
  ])("%s beside a change of the clock is not ambiguous", (local, at) => {
    expect(toMoment(local, "Europe/Warsaw")).toEqual({ local, at });
  });
});

describe("no instant is invented", () => {
  it("without a zone", () => {
    expect(toMoment("2026-03-10 12:00:00", undefined)).toEqual({ local: "2026-03-10 12:00:00" });
  });

  it.each([
    null,
    "",
    "soon",
    "0000-00-00 00:00:00",
    "2026-02-30 10:00:00",
    "2026-03-10",
    "2026-03-10 12",
    "12:00:00",
    "2026-03-10 12:00:00Z",
    "2026-03-10 12:00:00+02:00",
  ])("for %j", (local) => {
    expect(toMoment(local, "Europe/Warsaw")).toEqual({ local });
  });
});
