import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration, parseSize } from "../../../lib/config/units.ts";

describe("parseDuration", () => {
  it.each([
    ["0s", 0],
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
  ])("reads %s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "5", "m", "5 m", "5m ", "-5m", "1.5h", "1h30m", "5M", "5toString", "٥m", 300, null])(
    "refuses %j",
    (value) => {
      expect(parseDuration(value)).toBeUndefined();
    },
  );
});

describe("parseSize", () => {
  it.each([
    ["0B", 0],
    ["512B", 512],
    ["200KB", 204_800],
    ["1MB", 1_048_576],
  ])("reads %s", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(["", "200", "200kb", "200K", "1GB", "0.5MB", 204_800])("refuses %j", (value) => {
    expect(parseSize(value)).toBeUndefined();
  });
});

describe("formatDuration", () => {
  it("is read back as the same duration", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(1, 1_000, 60_000, 3_600_000, 86_400_000), (count, unit) => {
        expect(parseDuration(formatDuration(count * unit))).toBe(count * unit);
      }),
    );
  });

  it("takes the largest unit that leaves a whole number", () => {
    expect([0, 1_500, 90_000, 3_600_000, 104 * 86_400_000].map(formatDuration)).toEqual([
      "0s",
      "1500ms",
      "90s",
      "1h",
      "104d",
    ]);
  });
});
