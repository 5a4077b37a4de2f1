import { describe, expect, it } from "vitest";
import { turned } from "./rereads.ts";
import type { Json, Traits } from "./survey-model.ts";

const traits: Pick<Traits, "ties" | "sortKey" | "layout"> = {
  ties: "responses",
  sortKey: "dateStart",
  layout: "contiguous",
};
const record = (responseId: number, questionId: number, dateStart = "same"): Json => ({
  responseId,
  questionId,
  dateStart,
});
const shown = (records: Json[]): string => records.map((one) => `${one.responseId}.${one.questionId}`).join(" ");

/** Every order in which a page is shown. */
function orders(records: Json[], { before, behind, ...other }: { before?: Json; behind?: Json } & Partial<Traits>) {
  const page = { records, before, behind, isAgain: false };
  const all = Array.from({ length: 200 }, (_, turn) => shown(turned(page, { ...traits, ...other }, turn)));
  return [...new Set(all)].sort();
}

describe("whole responses that tie", () => {
  it("change places with those next to them, their records together", () => {
    const page = [record(3, 1), record(3, 2), record(4, 1), record(6, 1)];
    expect(orders(page, {})).toEqual(["3.1 3.2 4.1 6.1", "4.1 3.1 3.2 6.1"]);
  });

  it("tie by the date that the list is sorted by", () => {
    expect(orders([record(3, 1, "one"), record(4, 1, "other")], {})).toEqual(["3.1 4.1"]);
    expect(orders([record(3, 1, "one"), record(4, 1, "other")], { sortKey: "responseId" })).toHaveLength(2);
  });

  it("stay at the edge where they go on on another page", () => {
    expect(orders([record(3, 2), record(4, 1)], { before: record(3, 1) })).toEqual(["3.2 4.1"]);
    expect(orders([record(3, 1), record(4, 1)], { behind: record(4, 2) })).toEqual(["3.1 4.1"]);
    expect(orders([record(3, 1), record(3, 2)], { before: record(3, 0), behind: record(3, 3) })).toHaveLength(1);
  });

  it("stay as they are where records lie apart", () => {
    expect(orders([record(3, 1), record(4, 1), record(3, 2)], { layout: "interleaved" })).toHaveLength(1);
  });
});
