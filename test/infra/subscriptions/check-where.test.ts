import { describe, expect, it } from "vitest";
import { checkWhere } from "../../../infra/subscriptions/check-where.ts";
import { goldenCases } from "../../event-rules/golden.ts";

function pathsOf(where: unknown): string[] {
  return checkWhere(where).map(({ path }) => path.join("."));
}

describe("a pattern that may be used", () => {
  it("is each one that a golden event is known to match", () => {
    const matching = goldenCases.filter(({ expected }) => expected === "true");
    expect(matching.length).toBeGreaterThan(15);
    for (const { pattern } of matching) expect(checkWhere((pattern as { detail: unknown }).detail)).toEqual([]);
  });

  it.each([
    { data: { answers: { matrixScore: { anything: ["x"] } } } },
    { data: { metadata: [null] } },
    { data: { metrics: { metricName: [{ "equals-ignore-case": "effort" }] } } },
    { data: { answers: { questionId: [421998], answer: [{ numeric: [">", 2, "<", 9] }] } } },
    { meta: { missing: [{ prefix: "metrics:" }] } },
    { $or: [{ data: { surveyId: [1] } }, { meta: { complete: [true] } }] },
  ])("is %j, too", (where) => expect(checkWhere(where)).toEqual([]));
});

describe("a pattern that no event can match", () => {
  it.each([
    [{ data: { surveyID: [1] } }, 'unknown field, did you mean "surveyId"?'],
    [{ data: { answersRef: { url: [{ exists: true }] } } }, "unknown field"],
    [{ data: { metric: { metricId: [1] } } }, 'unknown field, did you mean "metrics"?'],
    [{ data: { metrics: { score: { points: [1] } } } }, "unknown field"],
    [{ detail: { data: { surveyId: [1] } } }, "the known ones here are meta, data"],
    [{ data: { metrics: [{ score: { nps: [true] } }] } }, "has fields: name one of key, metricId"],
    [{ data: { response: [{ exists: true }] } }, "has fields"],
    [{ data: { surveyId: { id: [1] } } }, "the event has a value here"],
    [{ data: { surveyId: 1 } }, "must be a list"],
  ])("%j says what would be right", (where, message) => {
    expect(checkWhere(where).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{ data: { surveyId: ["31415"] } }, "data.surveyId.0"],
    [{ data: { metrics: { score: { nps: ["true"] } } } }, "data.metrics.score.nps.0"],
    [{ data: { metadata: { os: [{ numeric: ["<", 6] }] } } }, "data.metadata.os.0"],
    [{ data: { surveyId: [1, { prefix: "1" }] } }, "data.surveyId.1"],
    [{ data: { answers: [null] } }, "data.answers.0"],
    [{ data: { $or: [{ surveyId: [1] }, { surveyId: ["2"] }] } }, "data.$or.1.surveyId.0"],
  ])("%j names the place", (where, path) => {
    expect(pathsOf(where)).toEqual([path]);
  });

  it("has every fault named at once, and no value repeated", () => {
    const where = { meta: { complete: ["hunter2"] }, data: { surveyId: ["hunter2"] } };
    expect(pathsOf(where)).toEqual(["meta.complete.0", "data.surveyId.0"]);
    expect(JSON.stringify(checkWhere(where))).not.toContain("hunter2");
  });
});
