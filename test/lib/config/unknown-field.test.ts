import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearestName } from "../../../lib/config/unknown-field.ts";

describe("editDistance", () => {
  it.each([
    ["interval", "interval", 0],
    ["intervall", "interval", 1],
    ["intreval", "interval", 1],
    ["nterval", "interval", 1],
    ["enterval", "interval", 1],
    ["baseURL", "baseUrl", 0],
    ["", "abc", 3],
    ["kitten", "sitting", 3],
  ])("from %j to %j is %i", (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it("is symmetric, and never more than the longer name", () => {
    const names = fc.string({ maxLength: 12, unit: fc.constantFrom("a", "b", "c") });
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe("nearestName", () => {
  const known = ["name", "baseUrl", "interval", "headPages", "retention"];

  it.each([
    ["intervall", "interval"],
    ["headpages", "headPages"],
    ["base_url", "baseUrl"],
    ["nmae", "name"],
  ])("%s is meant to be %s", (name, meant) => {
    expect(nearestName(name, known)).toBe(meant);
  });

  it.each(["colour", "x", "", "interval".repeat(1_000)])("suggests nothing when nothing is near (case %#)", (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });
});
