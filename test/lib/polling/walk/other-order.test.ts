import { describe, expect, it } from "vitest";
import { createOtherOrder } from "../../../../lib/polling/walk/other-order.ts";
import { isSame, type Page, toPage } from "../../../../lib/polling/walk/pages.ts";

/** Responses by id, each with so many records, in the order in which they are listed. */
type Listed = [responseId: number, records: number][];

const recordsOf = ([responseId, count]: Listed[number]): unknown[] =>
  Array.from({ length: count }, (_, i) => ({ responseId, questionId: i, completed: 1 }));

const pageOf = (number: number, records: unknown[]): Page => {
  const page = toPage(number, { kind: "page", records: records.slice((number - 1) * 100, number * 100) });
  if (page === undefined) throw new RangeError(`there is no page ${number}`);
  return page;
};

interface Case {
  asc: unknown[];
  desc: unknown[];
  /** The page that is taken for the last one. */
  page: number;
  mayGoOn?: boolean;
}

/** What the first page in desc order shows of a page in asc order. */
function shown({ asc, desc, page, mayGoOn = true }: Case) {
  const last = pageOf(page, asc);
  const first = pageOf(1, desc);
  const order = createOtherOrder({
    look: async (number) => toPage(number, { kind: "page", records: asc.slice((number - 1) * 100, number * 100) }),
    isStill: async (one, readAgain) => isSame(one, await readAgain()),
    mayGoOn: () => mayGoOn,
  });
  const id = last.runs.at(-1)?.responseId ?? 0;
  const upToHere = asc.slice(0, page * 100) as { responseId: number }[];
  const ending = toPage(0, { kind: "page", records: upToHere.filter(({ responseId }) => responseId === id) })?.runs[0];
  return {
    at: () => order.beginsAt(first, last, ending),
    near: () => order.liesNear(first, last),
  };
}

const list = (count: number, size: number): unknown[] =>
  Array.from({ length: count }, (_, i) => recordsOf([i + 1, size])).flat();
const stable = (records: unknown[]): unknown[] => {
  const ids = [...new Set((records as { responseId: number }[]).map(({ responseId }) => responseId))].reverse();
  return ids.flatMap((id) => (records as { responseId: number }[]).filter(({ responseId }) => responseId === id));
};

describe("the first page of the other order", () => {
  it.each([
    ["turned round", (records: unknown[]) => records.toReversed()],
    ["of responses whose records stand in the same order", stable],
  ])("shows the last page of a list %s, full or short", async (_name, turn) => {
    for (const [count, size, page] of [
      [20, 5, 1],
      [60, 5, 3],
      [33, 7, 3],
      [3, 80, 3],
    ] as const) {
      const asc = list(count, size);
      expect(await shown({ asc, desc: turn(asc), page }).at(), `${count} of ${size}`).toBe(true);
    }
  });

  it.each([
    ["a page in the midst of it", list(60, 5), list(60, 5).toReversed(), 2],
    ["the last page of a list that has become longer since", list(40, 5), list(41, 5).toReversed(), 2],
    [
      "the last page of which the last response has got another record",
      list(40, 5),
      [...recordsOf([40, 6]), ...list(39, 5).toReversed()],
      2,
    ],
    ["the first page of a list that is the same in both orders", list(60, 5), list(60, 5), 1],
    ["a page that ends within a response", list(30, 7), list(30, 7).toReversed(), 2],
    ["a page of one response that goes on", list(1, 150), list(1, 150).toReversed(), 1],
  ])("does not show %s to be the last one", async (_name, asc, desc, page) => {
    const { at, near } = shown({ asc, desc, page });
    expect([await at(), await near()]).toEqual([false, false]);
  });

  it("shows responses that tie in whatever order", async () => {
    const asc = list(20, 5);
    const desc = [...asc.slice(90, 95), ...asc.slice(95), ...asc.slice(0, 90).toReversed()];
    expect(await shown({ asc, desc, page: 1 }).at()).toBe(true);
  });

  it("shows the only response there is, unless the list may go on behind a page of that size", async () => {
    const records = recordsOf([1, 30]);
    expect(await shown({ asc: records, desc: records, page: 1, mayGoOn: false }).at()).toBe(true);
    const { at, near } = shown({ asc: records, desc: records, page: 1 });
    expect([await at(), await near()]).toEqual([false, true]);
  });

  it("lies on the last pages where records of responses lie apart", async () => {
    // Question by question, each of all responses.
    const asc = Array.from({ length: 5 }, (_, q) =>
      Array.from({ length: 40 }, (_, i) => ({ responseId: i, questionId: q })),
    ).flat();
    const { at, near } = shown({ asc, desc: asc.toReversed(), page: 2 });
    expect([await at(), await near()]).toEqual([false, true]);
    expect(
      await shown({ asc: [...asc, ...list(20, 5)], desc: [...asc, ...list(20, 5)].toReversed(), page: 2 }).near(),
    ).toBe(false);
  });

  it("does not lie there once the page has changed", async () => {
    const asc = list(40, 5);
    const last = pageOf(2, asc);
    const grown = [...asc.slice(1), ...recordsOf([41, 1])];
    const order = createOtherOrder({
      look: async (number) => toPage(number, { kind: "page", records: grown.slice((number - 1) * 100, number * 100) }),
      isStill: async (one, readAgain) => isSame(one, await readAgain()),
      mayGoOn: () => true,
    });
    expect(await order.liesNear(pageOf(1, asc.toReversed()), last)).toBe(false);
  });
});
