import { describe, expect, it } from "vitest";
import { type SummaryFacts, summaryOf } from "../../../../lib/events/build/figures.ts";
import type { Metric } from "../../../../lib/events/index.ts";

const score = (pointsSum: unknown, more: object = {}): Metric =>
  ({ key: "31", score: { pointsSum, minPointsSum: 0, maxPointsSum: 10, nps: true, ...more } }) as Metric;

const noon = { local: "2026-03-10 12:00:00" };
const facts: SummaryFacts = {
  metrics: [score(9)],
  answers: [{ comment: "" }, { comment: "fine" }, { comment: "late" }],
  started: { local: "2026-03-10 11:58:00" },
  completed: noon,
  thresholds: {},
};

// R13
describe("the summary", () => {
  it("tells NPS, score, duration and comments", () => {
    expect(summaryOf(facts)).toEqual({
      nps: { score: 9, class: "promoter" },
      scorePercent: 90,
      durationSeconds: 120,
      comments: 2,
      test: false,
    });
  });

  it.each([
    [10, "promoter"],
    [9, "promoter"],
    [8.5, "passive"],
    [7, "passive"],
    [6.9, "detractor"],
    [0, "detractor"],
  ])("calls %s points a %s", (points, name) => {
    expect(summaryOf({ ...facts, metrics: [score(points)] }).nps).toEqual({ score: points, class: name });
  });

  it.each([
    ["no metric", []],
    ["a metric that is not marked as NPS", [score(9, { nps: false })]],
    ["another scale", [score(9, { maxPointsSum: 100 })]],
    ["a scale that does not begin with 0", [score(9, { minPointsSum: 1 })]],
    ["points above the scale", [score(11)]],
    ["points below it", [score(-1)]],
    ["points that cannot be read", [score(null)]],
    ["a metric without a score", [{ key: "31" } as Metric]],
  ])("of %s has no NPS", (_name, metrics) => {
    expect(summaryOf({ ...facts, metrics }).nps).toBeNull();
  });

  it("takes the NPS of the first metric that has one", () => {
    const metrics = [score(3, { nps: false }), score(8), score(1)];
    expect(summaryOf({ ...facts, metrics }).nps).toEqual({ score: 8, class: "passive" });
  });

  const effort = (pointsSum: unknown, own?: [low: number, high: number | null]): Metric => ({
    ...score(pointsSum, { nps: false }),
    metricName: "Effort",
    ...(own && { firstLevelThreshold: own[0], secondLevelThreshold: own[1] }),
  });

  it.each<[string, Metric, [number, number] | undefined, string | undefined]>([
    ["below the first threshold", effort(2.9), [3, 5], "low"],
    ["at the first", effort(3), [3, 5], "middle"],
    ["at the second", effort(5), [3, 5], "high"],
    ["of its own", effort(4, [5, 8]), undefined, "low"],
    ["of its own beside given ones", effort(4, [5, 8]), [1, 3], "high"],
    ["of its own beyond the scale", effort(4, [50, 80]), undefined, undefined],
    ["of which it has one", effort(4, [5, null]), undefined, undefined],
    ["of its own, the second no higher", effort(4, [5, 5]), undefined, undefined],
    ["without any", effort(4), undefined, undefined],
    ["without points", effort(null), [3, 5], undefined],
    ["without a name", score(4), [3, 5], undefined],
    ["with a name that every object has", { ...effort(4), metricName: "constructor" }, [3, 5], undefined],
  ])("classes a metric by thresholds: %s", (_name, metric, given, name) => {
    const { metrics } = summaryOf({ ...facts, metrics: [metric], thresholds: given ? { Effort: given } : {} });
    const points = metric.score?.pointsSum;
    expect(metrics).toEqual(name && [{ name: "Effort", score: points, class: name }]);
  });

  it.each<[string, object[], boolean]>([
    ["one metric in test mode", [{ testMode: 0 }, { testMode: 1 }], true],
    ["a test mode that is not as documented", [{ testMode: null, raw: { testMode: "1" } }], true],
    ["none in test mode", [{ testMode: 0 }, { testMode: null }, {}], false],
    ["no metrics", [], false],
  ])("with %s tells whether it was a test", (_name, modes, test) => {
    const metrics = modes.map((mode) => ({ ...score(2), ...mode }));
    expect(summaryOf({ ...facts, metrics }).test).toBe(test);
  });

  it.each<[string, Metric[], number | null]>([
    ["several metrics together", [score(5), score(30, { maxPointsSum: 40, nps: false })], 70],
    ["a scale below zero", [score(0, { minPointsSum: -10 })], 50],
    ["a third, to one decimal", [score(1, { maxPointsSum: 3 })], 33.3],
    ["a metric without a scale beside one with it", [score(5), score(100, { maxPointsSum: null })], 50],
    ["no metric", [], null],
    ["a scale of nothing", [score(0, { maxPointsSum: 0 })], null],
    ["points beyond the scale", [score(11)], null],
  ])("gives the score of %s", (_name, metrics, percent) => {
    expect(summaryOf({ ...facts, metrics }).scorePercent).toBe(percent);
  });

  it.each<[string, SummaryFacts["started"], SummaryFacts["completed"], number | null]>([
    ["over midnight", { local: "2026-03-10 23:59:00" }, { local: "2026-03-11 00:00:30" }, 90],
    ["in no time", noon, noon, 0],
    ["that would be negative", noon, { local: "2026-03-10 11:59:59" }, null],
    ["without a start", { local: null }, noon, null],
    ["from no real date", { local: "0000-00-00 00:00:00" }, noon, null],
    [
      "with instants that agree",
      { ...noon, at: "2026-03-10T11:00:00Z" },
      { local: "2026-03-10 12:01:00", at: "2026-03-10T11:01:00Z" },
      60,
    ],
    [
      "over a change of the clock",
      { local: "2026-03-29 01:30:00", at: "2026-03-29T00:30:00Z" },
      { local: "2026-03-29 03:30:00", at: "2026-03-29T01:30:00Z" },
      null,
    ],
    [
      "to a string that names two instants",
      { local: "2026-10-25 01:50:00", at: "2026-10-24T23:50:00Z" },
      { local: "2026-10-25 02:40:00", at: "2026-10-25T00:40:00Z", ambiguous: true },
      null,
    ],
  ])("gives a duration %s", (_name, started, completed, seconds) => {
    expect(summaryOf({ ...facts, started, completed }).durationSeconds).toBe(seconds);
  });
});
