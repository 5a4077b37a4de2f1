import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classOf, completedAt, digestOf, type Run, readId, readRecord } from "../../../../lib/polling/model/records.ts";
import { toPage } from "../../../../lib/polling/walk/pages.ts";

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

  it.each([
    -1,
    1.5,
    Number.NaN,
    2 ** 53,
    "",
    "-1",
    "1.5",
    " 7",
    "7x",
    "99999999999999999",
    null,
    undefined,
    [7],
    {},
    true,
  ])("%j is not", (value) => {
    expect(readId(value)).toBeUndefined();
  });
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
  const records = fc.array(fc.jsonValue(), { minLength: 1, maxLength: 8 });

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
  it("is none where there is none, and for an empty array", () => {
    expect(toPage(2, { kind: "none" })).toBeUndefined();
    expect(toPage(2, { kind: "page", records: [] })).toBeUndefined();
  });

  it("reads any JSON: what has no readable responseId stands aside", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 20 }), (raws) => {
        const page = toPage(1, { kind: "page", records: raws });
        const inRuns = page?.runs.reduce((sum, run) => sum + run.records.length, 0) ?? 0;
        expect(inRuns + (page?.orphans.length ?? 0)).toBe(raws.length);
        expect(page?.size).toBe(raws.length);
      }),
      { seed: 13, numRuns: 200 },
    );
  });

  it("joins neighbours of one response, and not what lies apart", () => {
    const ids = [1, 1, 2, 1, "1", 3];
    const page = toPage(1, { kind: "page", records: ids.map((responseId) => ({ responseId })) });
    expect(page?.runs.map((run) => [run.responseId, run.records.length])).toEqual([
      [1, 2],
      [2, 1],
      [1, 2],
      [3, 1],
    ]);
  });

  it("has another digest as soon as one record changes or comes once more, not where only their order does", () => {
    const digest = (...raws: unknown[]): string | undefined => toPage(1, { kind: "page", records: raws })?.digest;
    expect(digest({ a: 1 }, { a: 2 })).toBe(digest({ a: 2 }, { a: 1 }));
    const others = [digest({ a: 1 }, { a: 2 }), digest({ a: 1 }, { a: 3 }), digest({ a: 1 }, { a: 2 }, { a: 2 })];
    expect(new Set(others).size).toBe(3);
  });
});
