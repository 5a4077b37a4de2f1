import { describe, expect, it } from "vitest";
import { credible } from "../../../../lib/events/build/date-string.ts";

const now = Date.UTC(2026, 2, 10, 12);

describe("a credible date", () => {
  it.each(["2026-03-10 12:00:00", "1999-12-31 23:59:59", "2024-02-29 00:00:00", "2026-03-11 14:00:00"])(
    "is %s",
    (text) => {
      expect(credible(text, now)).toBe(true);
    },
  );

  it.each([
    [null, "nothing"],
    ["", "no text"],
    ["0000-00-00 00:00:00", "the empty date of databases"],
    ["0000-01-01 00:00:00", "the year nought"],
    ["2026-03-11 14:00:01", "more than 26 h ahead of our clock"],
    ["9999-12-31 23:59:59", "the end of time"],
    ["2026-02-30 10:00:00", "a day that does not exist"],
    ["2025-02-29 00:00:00", "a leap day of no leap year"],
    ["2026-13-01 00:00:00", "a 13th month"],
    ["2026-03-10 24:00:00", "a 24th hour"],
    ["2026-03-10T12:00:00", "another form"],
    ["2026-03-10", "no time"],
    [" 2026-03-10 12:00:00", "a space"],
    ["2026-03-10 12:00:00\n", "a line end"],
  ])("is not %j: %s", (text, _why) => {
    expect(credible(text, now)).toBe(false);
  });
});
