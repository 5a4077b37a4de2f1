import { describe, expect, it } from "vitest";
import { buildEvent } from "../../../lib/events/build/build-event.ts";
import { detectionLag, spread } from "../../../lib/monitoring/detection-lag.ts";
import { at, MINUTE, noon, range, recordsOf } from "../../support/survey.ts";

type Facts = Parameters<typeof buildEvent>[0];

/** An event that was detected at noon, of a response that completed three minutes before. */
function event(changes: Partial<Facts> = {}) {
  return buildEvent({
    sourceName: "main",
    surveyId: 1,
    responseId: 1,
    survey: undefined,
    listedAt: undefined,
    definition: undefined,
    questions: "full",
    thresholds: {},
    records: recordsOf({ responseId: 1, completed: at(-3 * MINUTE) }),
    metrics: undefined,
    metadata: undefined,
    missing: [],
    origin: "head",
    revision: 1,
    detectedAt: noon,
    timeZone: "UTC",
    ...changes,
  });
}

const basis = { firstTick: noon - 60 * MINUTE, lastTick: noon - MINUTE };

describe("the lag of an event", () => {
  it.each(["head", "rescan", "full-read", "backlog", "recheck"] as const)(
    "found by %s is the time since the response was completed, in the zone of the service",
    (origin) => {
      expect(detectionLag(event({ origin }), basis)).toBe(3 * MINUTE);
    },
  );

  it("is never below zero, whatever the service's clock says", () => {
    const records = recordsOf({ responseId: 1, completed: at(MINUTE) });
    expect(detectionLag(event({ records }), basis)).toBe(0);
  });

  it("without a zone is the time for which nobody had looked, and only of what the head shows", () => {
    expect(detectionLag(event({ timeZone: undefined }), basis)).toBe(MINUTE);
    expect(detectionLag(event({ timeZone: undefined, origin: "full-read" }), basis)).toBeUndefined();
    expect(detectionLag(event({ timeZone: undefined }), { firstTick: noon })).toBeUndefined();
  });

  it.each<[string, Partial<Facts>, typeof basis | Record<string, never>]>([
    ["history from before the first tick", {}, { ...basis, firstTick: noon - 2 * MINUTE }],
    ["anything in the first tick", {}, {}],
    ["a repaired event", { revision: 2 }, basis],
    ["a redriven response", { origin: "replay" }, basis],
    [
      "a time that a clock change makes doubtful",
      {
        timeZone: "Europe/Warsaw",
        records: recordsOf({ responseId: 1, completed: "2026-10-25 02:30:00" }),
        detectedAt: Date.UTC(2026, 9, 25, 12),
      },
      basis,
    ],
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
