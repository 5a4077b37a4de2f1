import { describe, expect, it } from "vitest";
import { nearestName } from "../../../lib/config/unknown-field.ts";

describe("nearestName", () => {
  const known = ["name", "baseUrl", "interval", "headPages", "retention"];

  it.each([
    ["intervall", "interval"],
    ["intreval", "interval"],
    ["nterval", "interval"],
    ["interval", "interval"],
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
