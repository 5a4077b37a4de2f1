import { expect, it } from "vitest";
import { type Cause, compare } from "../../../../lib/operator/against/compare.ts";
import type { ListedResponse } from "../../../../lib/operator/against/read-list.ts";

const dateOf = (second: number): string => `2026-03-10 12:00:${String(second).padStart(2, "0")}`;

/** Responses in the order of the list: "5@9" is number 5, completed at second 9; "8@" is open. */
function listOf(text: string, more: Readonly<Record<number, Partial<ListedResponse>>> = {}): ListedResponse[] {
  return text.split(" ").map((one): ListedResponse => {
    const [id = 0, second] = one.split("@").map((part) => (part === "" ? undefined : Number(part)));
    const completed = second === undefined ? null : dateOf(second);
    return {
      ...{ id, state: completed === null ? "open" : "completed", started: dateOf(0), completed },
      ...{ page: 1, records: 1, wasOpen: false, moved: false },
      ...more[id],
    };
  });
}

/** A page and more of newer ones. */
const PAGE = Array.from({ length: 110 }, (_, i) => `${6 + i}@7`).join(" ");

interface Given {
  more?: Parameters<typeof listOf>[1];
  /** Responses that the list of ids lacks; by default number 5. */
  lacks?: number[];
  newestGone?: number;
}

it.each<[what: string, cause: Cause, list: string, given?: Given]>([
  ["completed after a newer one", "late", "4@1 5@9 6@7 7@20"],
  ["the same, newest first", "late", "7@20 6@7 5@9 4@1"],
  ["the same, in a list that lists open ones", "open", "4@1 5@9 6@7 7@20 8@"],
  ["the newer one is missing as well", "unknown", "4@1 5@9 6@7 7@20", { lacks: [5, 6] }],
  ["others are as late, and most of them are in the list", "unknown", "4@1 5@9 6@10 7@7 8@20"],
  ["others were as late before the first that is missing", "late", "2@4 3@5 4@1 5@9 7@7 8@20"],
  ["a newer one has gone since", "unknown", "4@1 5@9 6@7 7@20", { newestGone: 8 }],
  ["the same, but below a whole page of newer ones", "late", `4@1 5@9 ${PAGE} 500@20`, { newestGone: 600 }],
  [
    "a list sorted by nothing that is known",
    "unknown",
    "9@1 5@9 6@7 7@20",
    { more: { 9: { started: "b" }, 5: { started: "a" }, 6: { started: "d" }, 7: { started: "c" } } },
  ],
  ["the second of an older one", "tie", "4@9 5@9 6@20"],
  ["the second of a newer one", "unknown", "4@1 5@9 6@9 7@20"],
  ["the second of an older one that is missing as well", "unknown", "3@1 4@9 5@9 6@20", { lacks: [4, 5] }],
  ["that second, and an older one completed next", "unknown", "3@10 4@9 5@9 6@20"],
  ["that second, and late", "unknown", "4@9 5@9 6@7 7@20"],
  ["that second, in a list that lists open ones", "unknown", "4@9 5@9 6@20 8@"],
  ["before everything", "before", "5@1 6@7 7@20"],
  ["after everything", "after", "3@1 4@9 5@20"],
  ["met open first", "open", "4@1 5@9 6@20", { more: { 5: { wasOpen: true } } }],
  ["on a page that moved", "moved", "4@1 5@9 6@20", { more: { 5: { moved: true } } }],
  ["nothing tells", "unknown", "4@1 5@9 6@20"],
  ["without a date", "unknown", "4@1 5@9 6@20", { more: { 5: { completed: null } } }],
  ["nothing of the survey is in the list", "unknown", "5@9 6@20", { lacks: [5, 6] }],
])("%s: %s", (_, cause, list, { more, lacks = [5], newestGone } = {}) => {
  const rows = listOf(list, more);
  const ids = new Map(rows.flatMap(({ id }): [number, number][] => (lacks.includes(id) ? [] : [[id, 1]])));
  const { missing } = compare({ rows }, ids, newestGone);
  expect(missing.find(({ responseId }) => responseId === 5)?.cause).toBe(cause);
});

it("counts what is listed, and misses completed ones alone", () => {
  const rows = listOf("1@1 2@ 3@3 4@4", { 4: { state: "unreadable", page: 2 } });

  expect(compare({ rows }, new Map([[1, 2]]))).toEqual({
    ...{ listed: 4, completed: 2, open: 1, unreadable: 1, yours: 1 },
    missing: [{ responseId: 3, completed: dateOf(3), position: 3, page: 1, cause: "after" }],
  });
});
