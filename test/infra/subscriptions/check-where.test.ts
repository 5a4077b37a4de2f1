import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWhere } from "../../../infra/subscriptions/check-where.ts";
import { createMatcher, InvalidEventPatternError } from "../../../local/aws/event-bridge/matcher.ts";
import { goldenCases } from "../../event-rules/golden.ts";

const [golden] = goldenCases;

/** What AWS would say of a golden event, by the matcher that is held against its own. */
function verdict(where: unknown): boolean | "refused" {
  try {
    return createMatcher({ detail: where })(golden?.event as object);
  } catch (error) {
    if (error instanceof InvalidEventPatternError) return "refused";
    throw error;
  }
}

function pathsOf(where: unknown): string[] {
  return checkWhere(where).map(({ path }) => path.join("."));
}

describe("a pattern that may be used", () => {
  it.each([
    [{ data: { summary: { nps: { class: ["detractor"] } } } }, true],
    [{ data: { survey: { name: [{ prefix: "Survey" }] } } }, false],
    [{ data: { metrics: { score: { nps: [true], pointsSum: [{ numeric: ["<=", 6] }] } } } }, true],
    [{ data: { metrics: { score: { nps: [true], pointsSum: [{ numeric: [">=", 9] }] } } } }, false],
    [{ data: { metrics: { metricName: [{ "equals-ignore-case": "recommendation" }] } } }, true],
    [{ data: { surveyId: [31415, 1], response: { country: [{ "anything-but": ["DE", "FR"] }] } } }, true],
    [{ data: { response: { crk: [null], completed: { local: [{ prefix: "2026-11" }] } } } }, true],
    [{ data: { answers: { matrixScore: { anything: ["x"] } } } }, false],
    [{ data: { answers: { questionId: [7], answer: [3] } } }, true],
    [{ data: { answers: { question: { number: [1] }, labels: ["Good"] } } }, true],
    [{ data: { answers: { questionId: [8], answer: [{ numeric: [">", 0, "<", 9] }] } } }, false],
    [{ data: { metadata: [null] } }, false],
    [{ data: { metadata: { ip: [{ cidr: "203.0.113.0/24" }], os: [{ wildcard: "L*x" }] } } }, true],
    [{ data: { metadata: { os: [{ "anything-but": { suffix: ["ux"] } }] } } }, false],
    [{ data: { answersRef: { key: [{ exists: false }] } } }, true],
    [{ meta: { origin: [{ "anything-but": "catch-up" }], missing: [{ exists: false }] } }, true],
    [{ meta: { missing: [{ prefix: "metrics:" }] } }, false],
    [{ $or: [{ data: { surveyId: [1] } }, { meta: { complete: [true] } }] }, true],
  ])("%j matches as AWS has it: %j", (where, expected) => {
    expect(checkWhere(where)).toEqual([]);
    expect(verdict(where)).toBe(expected);
  });

  it("is each one that a golden event is known to match", () => {
    const matching = goldenCases.filter(({ expected }) => expected === "true");
    expect(matching.length).toBeGreaterThan(15);
    for (const { pattern } of matching) expect(checkWhere((pattern as { detail: unknown }).detail)).toEqual([]);
  });
});

describe("a pattern that is refused", () => {
  it.each([
    [{ data: { surveyID: [1] } }, 'unknown field, did you mean "surveyId"?'],
    [{ data: { answersRef: { url: [{ exists: true }] } } }, "unknown field"],
    [{ data: { metric: { metricId: [1] } } }, 'unknown field, did you mean "metrics"?'],
    [{ data: { metrics: { score: { points: [1] } } } }, "unknown field"],
    [{ detail: { data: { surveyId: [1] } } }, "the known ones here are meta, data"],
    [{ data: { surveyId: [{ numerical: ["<", 6] }] } }, 'unknown operator, did you mean "numeric"?'],
    [{ data: { metrics: [{ score: { nps: [true] } }] } }, "has fields: name one of key, metricId"],
    [{ data: { response: [{ exists: true }] } }, "has fields"],
    [{ data: { surveyId: { id: [1] } } }, "has no fields"],
  ])("%j says what would be right", (where, message) => {
    expect(checkWhere(where).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{ data: { surveyId: ["31415"] } }, "data.surveyId.0"],
    [{ data: { metrics: { score: { nps: ["true"] } } } }, "data.metrics.score.nps.0"],
    [{ data: { metadata: { os: [{ numeric: ["<", 6] }] } } }, "data.metadata.os.0"],
    [{ data: { surveyId: [1, { prefix: "1" }] } }, "data.surveyId.1"],
    [{ meta: { schemaVersion: ["2"] } }, "meta.schemaVersion.0"],
    [{ data: { answers: [null] } }, "data.answers"],
  ])("%j could never match", (where, path) => {
    expect(verdict(where)).toBe(false);
    expect(pathsOf(where)).toEqual([path]);
  });

  it.each([
    [{ data: { surveyId: 1 } }, "data.surveyId"],
    [{ data: { surveyId: [] } }, "data.surveyId"],
    [{ data: { surveyId: [[1]] } }, "data.surveyId.0"],
    [{ data: {} }, "data"],
    [{}, ""],
    ["all", ""],
    [{ data: { surveyId: [{ numeric: ["<", "6"] }] } }, "data.surveyId.0"],
    [{ data: { surveyId: [{ numeric: ["<", 6, ">", 2] }] } }, "data.surveyId.0"],
    [{ data: { surveyId: [{ numeric: [">", 6, "<", 2] }] } }, "data.surveyId.0"],
    [{ data: { surveyId: [{ prefix: 1, exists: true }] } }, "data.surveyId.0"],
    [{ data: { metadata: { os: [{ "anything-but": [] }] } } }, "data.metadata.os.0"],
    [{ data: { metadata: { os: [{ "anything-but": ["a", 1] }] } } }, "data.metadata.os.0"],
    [{ data: { metadata: { os: [{ wildcard: "a**" }] } } }, "data.metadata.os.0"],
    [{ data: { metadata: { os: [{ wildcard: "a\\b" }] } } }, "data.metadata.os.0"],
    [{ data: { metadata: { ip: [{ cidr: "10.0.0.0" }] } } }, "data.metadata.ip.0"],
    [{ data: { metadata: { ip: [{ exists: "yes" }] } } }, "data.metadata.ip.0"],
    [{ data: { $or: [{ surveyId: [1] }] } }, "data.$or"],
    [{ data: { $or: [{ surveyId: [1] }, { surveyId: 2 }] } }, "data.$or.1.surveyId"],
  ])("%j would be refused by AWS", (where, path) => {
    expect(verdict(where)).toBe("refused");
    expect(pathsOf(where)).toEqual([path]);
  });

  it("has every fault named at once, and no value repeated", () => {
    const where = {
      meta: { schemaVersion: ["hunter2"] },
      data: { surveyId: ["hunter2"], metadata: { ip: [{ cidr: "hunter2" }] } },
    };
    expect(pathsOf(where)).toEqual(["meta.schemaVersion.0", "data.surveyId.0", "data.metadata.ip.0"]);
    expect(JSON.stringify(checkWhere(where))).not.toContain("hunter2");
  });
});

describe("any pattern", () => {
  const operand = fc.oneof(
    fc.constantFrom("a", "", "a*", "**", "\\", "10.0.0.0/8", "::1/64", "1.2.3.4/99", true, false, null, 6, -6, 6e9),
    fc.array(fc.constantFrom("<", "<=", "=", ">", ">=", 1, 2, 7e9, "a", "", null, true), { maxLength: 5 }),
    fc.record(
      { prefix: fc.constantFrom("a", "", ["a"], ["a", ""], [], 1), suffix: fc.constant("b") },
      { requiredKeys: [] },
    ),
    fc.record({ "equals-ignore-case": fc.constantFrom("a", "", ["a"], 1) }),
    fc.record({ wildcard: fc.constantFrom("a*", ["*"], "**", ["a", 1]) }),
  );
  const names = ["exists", "prefix", "suffix", "equals-ignore-case", "wildcard", "cidr", "numeric", "anything-but"];
  const test = fc.oneof(
    operand,
    fc.tuple(fc.constantFrom(...names, "exactly"), operand).map(([name, value]) => ({ [name]: value })),
  );

  it("that is let through is one that AWS takes", () => {
    const field = fc.constantFrom("os", "languageId");
    fc.assert(
      fc.property(field, fc.array(test, { maxLength: 3 }), (name, tests) => {
        const where = { data: { metadata: { [name]: tests } } };
        fc.pre(checkWhere(where).length === 0);
        expect(verdict(where)).not.toBe("refused");
      }),
      { seed: 7, numRuns: 1000, maxSkipsPerRun: 1000 },
    );
  });
});
