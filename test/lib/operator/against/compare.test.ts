import { expect, it } from "vitest";
import { type Cause, compare } from "../../../../lib/operator/against/compare.ts";
import type { ListedResponse } from "../../../../lib/operator/against/read-list.ts";

interface Row extends Partial<ListedResponse> {
  id: number;
  /** Second of its completion; null while it is open. */
  at: number | null;
}

const dateOf = (second: number): string => `2026-03-10 12:00:${String(second).padStart(2, "0")}`;

function rowOf({ at, ...row }: Row): ListedResponse {
  const completed = at === null ? null : dateOf(at);
  return {
    ...{ state: at === null ? "open" : "completed", started: dateOf(0), completed },
    ...{ page: 1, records: 1, wasOpen: false, moved: false },
    ...row,
  };
}

/** The cause of response 5, the only one that is missing unless `lacks` names others. */
function causeOf(rows: Row[], { lacks = [5], newestGone = 0 } = {}): Cause | undefined {
  const ids = new Map(rows.flatMap(({ id }) => (lacks.includes(id) ? [] : [[id, 1]])) as [number, number][]);
  const { missing } = compare({ rows: rows.map(rowOf) }, ids, newestGone);
  return missing.find(({ responseId }) => responseId === 5)?.cause;
}

/** A page and more of newer ones that completed at a second. */
const page = (from: number, at: number): Row[] => Array.from({ length: 110 }, (_, i) => ({ id: from + i, at }));

it.each<[name: string, cause: Cause, rows: Row[], options?: { lacks?: number[]; newestGone?: number }]>([
  [
    "completed after a newer one",
    "late",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
    ],
  ],
  [
    "the same, newest first",
    "late",
    [
      { id: 7, at: 20 },
      { id: 6, at: 7 },
      { id: 5, at: 9 },
      { id: 4, at: 1 },
    ],
  ],
  [
    "the same, in a list that lists open ones",
    "open",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
      { id: 8, at: null },
    ],
  ],
  [
    "the newer one is missing as well",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
    ],
    { lacks: [5, 6] },
  ],
  [
    "others are as late, and most of them are in the list",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 10 },
      { id: 7, at: 7 },
      { id: 8, at: 20 },
    ],
  ],
  [
    "others were as late before the first that is missing",
    "late",
    [
      { id: 2, at: 4 },
      { id: 3, at: 5 },
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 7, at: 7 },
      { id: 8, at: 20 },
    ],
  ],
  [
    "a newer one has gone since",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
    ],
    { newestGone: 8 },
  ],
  [
    "the same, but below a whole page of newer ones",
    "late",
    [{ id: 4, at: 1 }, { id: 5, at: 9 }, ...page(6, 7), { id: 500, at: 20 }],
    { newestGone: 600 },
  ],
  [
    "a list sorted by nothing that is known",
    "unknown",
    [
      { id: 9, at: 1, started: "b" },
      { id: 5, at: 9, started: "a" },
      { id: 6, at: 7, started: "d" },
      { id: 7, at: 20, started: "c" },
    ],
  ],
  [
    "the second of an older one",
    "tie",
    [
      { id: 4, at: 9 },
      { id: 5, at: 9 },
      { id: 6, at: 20 },
    ],
  ],
  [
    "the second of a newer one",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 9 },
      { id: 7, at: 20 },
    ],
  ],
  [
    "the second of an older one that is missing as well",
    "unknown",
    [
      { id: 3, at: 1 },
      { id: 4, at: 9 },
      { id: 5, at: 9 },
      { id: 6, at: 20 },
    ],
    { lacks: [4, 5] },
  ],
  [
    "that second, and an older one completed next",
    "unknown",
    [
      { id: 3, at: 10 },
      { id: 4, at: 9 },
      { id: 5, at: 9 },
      { id: 6, at: 20 },
    ],
  ],
  [
    "that second, and late",
    "unknown",
    [
      { id: 4, at: 9 },
      { id: 5, at: 9 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
    ],
  ],
  [
    "that second, in a list that lists open ones",
    "unknown",
    [
      { id: 4, at: 9 },
      { id: 5, at: 9 },
      { id: 6, at: 20 },
      { id: 8, at: null },
    ],
  ],
  [
    "before everything",
    "before",
    [
      { id: 5, at: 1 },
      { id: 6, at: 7 },
      { id: 7, at: 20 },
    ],
  ],
  [
    "after everything",
    "after",
    [
      { id: 3, at: 1 },
      { id: 4, at: 9 },
      { id: 5, at: 20 },
    ],
  ],
  [
    "met open first",
    "open",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9, wasOpen: true },
      { id: 6, at: 20 },
    ],
  ],
  [
    "on a page that moved",
    "moved",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9, moved: true },
      { id: 6, at: 20 },
    ],
  ],
  [
    "nothing tells",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9 },
      { id: 6, at: 20 },
    ],
  ],
  [
    "without a date",
    "unknown",
    [
      { id: 4, at: 1 },
      { id: 5, at: 9, completed: null },
      { id: 6, at: 20 },
    ],
  ],
  [
    "nothing of the survey is in the list",
    "unknown",
    [
      { id: 5, at: 9 },
      { id: 6, at: 20 },
    ],
    { lacks: [5, 6] },
  ],
])("%s: %s", (_, cause, rows, options) => {
  expect(causeOf(rows, options)).toBe(cause);
});

it("counts what is listed, and misses completed ones alone", () => {
  const rows = [
    { id: 1, at: 1 },
    { id: 2, at: null },
    { id: 3, at: 3 },
    { id: 4, at: 4, state: "unreadable" as const, page: 2 },
  ];

  expect(compare({ rows: rows.map(rowOf) }, new Map([[1, 2]]))).toEqual({
    ...{ listed: 4, completed: 2, open: 1, unreadable: 1, yours: 1 },
    missing: [{ responseId: 3, completed: dateOf(3), position: 3, page: 1, cause: "after" }],
  });
});
