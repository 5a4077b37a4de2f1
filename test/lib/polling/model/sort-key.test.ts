import { describe, expect, it } from "vitest";
import { type Run, readRecord } from "../../../../lib/polling/model/records.ts";
import { datesOf, learnSortKey } from "../../../../lib/polling/model/sort-key.ts";
import { at, HOUR, noon, range, recordsOf } from "../../../support/survey.ts";

/** Hours from noon at which a response was completed and started; open without the first. */
type Dates = [completed: number | undefined, started: number];

function runs(...all: Dates[]): Run[] {
  return all.map(([completed, started], i) => {
    const fields = { dateStart: at(started * HOUR) };
    const date = completed === undefined ? {} : { completed: at(completed * HOUR) };
    return {
      responseId: i + 1,
      records: recordsOf({ responseId: i + 1, ...date, fields }).map((record) => readRecord(record)),
    };
  });
}

const byCompleted = runs([-1, -5], [-2, -3], [-3, -9], [-4, -4], [-5, -6]);
const byStarted = runs([-3, -3], [-1, -4], [-4, -5], [-2, -6], [-5, -7]);
const byNeither = runs([-3, -9], [-1, -4], [-4, -5], [-2, -3], [-5, -7]);
const byBoth = runs(...range(1, 5).map((hour): Dates => [-hour, -hour - 1]));
const learn = (believed: Parameters<typeof learnSortKey>[0], page: Run[]) => learnSortKey(believed, page, noon);

describe("what a page in desc order is sorted by", () => {
  it("is learned from what falls from its first response to its last", () => {
    expect([byCompleted, byStarted, byNeither].map((page) => learn(undefined, page))).toEqual([
      "completed",
      "started",
      "other",
    ]);
  });

  it("stays as it was believed while both fall, or while there are too few dates to say", () => {
    expect(learn("started", byBoth)).toBe("started");
    expect(learn("completed", byBoth)).toBe("completed");
    expect(learn(undefined, byCompleted.slice(0, 4))).toBeUndefined();
    expect(learn("completed", byNeither.slice(0, 1))).toBe("completed");
  });

  it("is forgotten when it is contradicted, and learned again from what fits", () => {
    expect(learn("completed", byStarted)).toBe("started");
    expect(learn("completed", byNeither)).toBe("other");
    expect(learn("other", byCompleted)).toBe("completed");
  });

  it("is not told by open responses, nor by dates that are not credible", () => {
    const open = runs([undefined, 0], [-1, -5], [undefined, -20], [-2, -3], [-3, -9], [-4, -4], [-5, -6]);
    expect(learn(undefined, open)).toBe("completed");
    const far = runs([30_000, -5], [-1, -3], [-2, -9], [-3, -4], [-4, -6], [-5, -2]);
    expect(learn(undefined, far)).toBe("completed");
  });
});

it("the dates of a page are those of its completed responses", () => {
  expect(datesOf("completed", runs([-1, -2], [undefined, -3], [30_000, -4]), noon)).toEqual([at(-HOUR)]);
  expect(datesOf("started", runs([-1, -2], [undefined, -3]), noon)).toEqual([at(-2 * HOUR)]);
});
