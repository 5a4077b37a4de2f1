import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readId } from "../../../../lib/json.ts";
import { classOf, completedAt, digestOf, type Run, readRecord } from "../../../../lib/polling/model/records.ts";
import { toPage } from "../../../../lib/polling/walk/page.ts";

const runOf = (...records: unknown[]): Run => ({ responseId: 1, records: records.map((record) => readRecord(record)) });

describe("an identifier", () => {
  it.each([
    [7, 7],
    [0, 0],
    ["7", 7],
    ["007", 7],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("%j is read", (value, id) => {
    expect(readId(value)).toBe(id);
  });

  it.each([-1, 1.5, 2 ** 53, "", "-1", " 7", "7x", "99999999999999999", null, undefined, [7], true])(
    "%j is not",
    (value) => {
      expect(readId(value)).toBeUndefined();
    },
  );
});

describe("the class of a response", () => {
  it.each([
    [[1, 1], "completed"],
    [["1"], "completed"],
    [[true], "completed"],
    [[0, 0], "open"],
    [["0", false], "open"],
    [[0, 1], "completed"],
    [[1, "perhaps"], "unreadable"],
    [[2], "unreadable"],
    [[undefined], "unreadable"],
  ])("with completed %j is %s", (completed, expected) => {
    expect(classOf(runOf(...(completed as unknown[]).map((flag) => ({ completed: flag }))))).toBe(expected);
  });
});

describe("the digest of a response", () => {
  const answers = fc.record({ questionId: fc.nat(5), answer: fc.jsonValue(), completed: fc.boolean() });
  const records = fc.array(fc.oneof(answers, fc.jsonValue()), { minLength: 1, maxLength: 8 });

  it("does not depend on the order of its records", () => {
    fc.assert(
      fc.property(records, fc.infiniteStream(fc.nat()), (raws, order) => {
        const keyed = raws.map((raw) => ({ raw, key: order.next().value ?? 0 })).sort((a, b) => a.key - b.key);
        expect(digestOf(runOf(...keyed.map(({ raw }) => raw)))).toBe(digestOf(runOf(...raws)));
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  it("tells another record, one fewer and one twice", () => {
    const one = { questionId: 1 };
    const digests = [runOf(one), runOf({ questionId: 2 }), runOf(one, one), runOf(one, { questionId: 2 })].map((run) =>
      digestOf(run),
    );
    expect(new Set(digests).size).toBe(4);
  });
});

it("the date of a response is the newest among its records", () => {
  const dates = ["2026-03-10 12:00:00", null, 7, "2026-03-10 12:00:05", undefined];
  expect(completedAt(runOf(...dates.map((dateCompleted) => ({ dateCompleted }))))).toBe("2026-03-10 12:00:05");
  expect(completedAt(runOf({ dateCompleted: null }, {}))).toBeNull();
});

describe("a page", () => {
  it("reads any JSON: what has no readable responseId stands aside", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 20 }), (raws) => {
        const page = toPage(1, { kind: "page", records: raws });
        const inRuns = page?.runs.reduce((sum, run) => sum + run.records.length, 0) ?? 0;
        expect(inRuns + (page?.orphans.length ?? 0)).toBe(raws.length);
        expect(page?.records.length).toBe(raws.length);
      }),
      { seed: 13, numRuns: 200 },
    );
  });

  const signature = (...raws: unknown[]): string | undefined => toPage(1, { kind: "page", records: raws })?.signature;
  const record = {
    responseId: 7,
    questionId: 3,
    completed: 1,
    answer: [1, 2],
    score: 5,
    comment: "https://files.example.com/1?signature=a",
  };

  // R2
  it.each<[string, Record<string, unknown>]>([
    ["another response", { responseId: 8 }],
    ["another question", { questionId: 4 }],
    ["completed or not", { completed: 0 }],
    ["another answer", { answer: [1, 3] }],
    ["another score", { score: 6 }],
    ["no comment", { comment: "" }],
  ])("has another signature where a record is of, or has, %s", (_what, change) => {
    expect(signature({ ...record, ...change })).not.toBe(signature(record));
  });

  // R2
  it.each<[string, Record<string, unknown>]>([
    ["the text of a comment", { comment: "https://files.example.com/1?signature=b" }],
    ["the time of reading", { readAt: "2026-03-10 12:00:00" }],
    ["the order of choices", { answer: [2, 1] }],
  ])("has the same signature whatever %s is", (_what, change) => {
    expect(signature({ ...record, ...change })).toBe(signature(record));
  });

  it("has another signature where a record comes once more or is gone, not where only their order differs", () => {
    const other = { ...record, questionId: 4 };
    expect(signature(record, other)).toBe(signature(other, record));
    expect(new Set([signature(record, other), signature(record), signature(record, record, other)]).size).toBe(3);
  });
});

// R2, R20: the digest tells what an event says of a response as a whole, the signature does not.
it("a response completed at another time has another digest, on a page with the same signature", () => {
  const raw = { responseId: 1, questionId: 1, completed: 1, dateCompleted: "2026-03-10 12:00:00" };
  const other = { ...raw, dateCompleted: "2026-03-10 12:00:05" };
  expect(digestOf(runOf(other))).not.toBe(digestOf(runOf(raw)));
  const [one, two] = [raw, other].map((record) => toPage(1, { kind: "page", records: [record] })?.signature);
  expect(two).toBe(one);
});
