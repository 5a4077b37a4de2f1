import { describe, expect, it } from "vitest";
import { detectionLag, spread } from "../../../lib/monitoring/detection-lag.ts";
import { MINUTE, noon, range } from "../../support/survey.ts";

type Facts = Parameters<typeof detectionLag>[0];

/** An event that was detected at noon, of a response that completed three minutes before. */
const event = (changes: Partial<Facts> = {}): Facts => ({
  type: "response.completed",
  origin: "head",
  detectedAt: noon,
  completed: { at: new Date(noon - 3 * MINUTE).toISOString() },
  ...changes,
});

const basis = { firstTick: noon - 60 * MINUTE, lastTick: noon - MINUTE };

describe("the lag of an event", () => {
  it.each(["head", "rescan", "full-read", "backlog", "recheck"] as const)(
    "found by %s is the time since the response was completed, in the zone of the service",
    (origin) => {
      expect(detectionLag(event({ origin }), basis)).toBe(3 * MINUTE);
    },
  );

  it("is never below zero, whatever the service's clock says", () => {
    expect(detectionLag(event({ completed: { at: new Date(noon + MINUTE).toISOString() } }), basis)).toBe(0);
  });

  it("without a zone is the time for which nobody had looked, and only of what the head shows", () => {
    expect(detectionLag(event({ completed: {} }), basis)).toBe(MINUTE);
    expect(detectionLag(event({ completed: {}, origin: "full-read" }), basis)).toBeUndefined();
    expect(detectionLag(event({ completed: {} }), { firstTick: noon })).toBeUndefined();
  });

  it.each<[string, Partial<Facts>, typeof basis | Record<string, never>]>([
    ["history from before the first tick", {}, { ...basis, firstTick: noon - 2 * MINUTE }],
    ["anything in the first tick", {}, {}],
    ["an event that replaces another one", { type: "response.updated" }, basis],
    ["a redriven response", { origin: "replay" }, basis],
    ["a time that a clock change makes doubtful", { completed: { ...event().completed, ambiguous: true } }, basis],
  ])("of %s is not told", (_what, facts, known) => {
    expect(detectionLag(event(facts), known)).toBeUndefined();
  });
});

describe("many values", () => {
  it("are all written as long as a line holds them", () => {
    expect(spread([3, 1, 2])).toEqual([1, 2, 3]);
    expect(spread(range(1, 99))).toHaveLength(99);
  });

  it("beyond that are spread by rank, so that the least, the middle and the worst are still right", () => {
    const some = spread(range(1, 10_001).reverse());
    expect(some).toHaveLength(99);
    expect([some[0], some[49], some.at(-1)]).toEqual([1, 5_001, 10_001]);
  });
});
