import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../../lib/polling/walk/scan.ts";
import { histories, order, pastEnd, responses } from "../../../support/moving-histories.ts";
import { flaw, type ListedResponse, type MovingList, movingList, scanAll } from "../../../support/moving-list.ts";

const SEED = 20_261_121;
const MOST_READS = 2_000;

const check = (property: fc.IAsyncProperty<unknown>, numRuns: number): Promise<void> =>
  fc.assert(property as fc.IAsyncProperty<[unknown]>, { seed: SEED, numRuns });

function flaws(runs: Parameters<typeof flaw>[0][], list: MovingList): string[] {
  return runs.map((run) => flaw(run, list)).filter((text) => text !== undefined);
}

const ids = (runs: { responseId: number }[]): number[] => runs.map(({ responseId }) => responseId);
const listedAs = (list: ListedResponse[], wanted: Verdict): number[] =>
  list.filter((response) => response.verdict === wanted).map(({ id }) => id);
const sorted = (numbers: number[]): number[] => [...numbers].sort((a, b) => a - b);

describe("a list that holds still", () => {
  const still = fc.record({ list: responses(40), order, pastEnd });

  it("hands every response out exactly once and whole, and defers nothing", async () => {
    await check(
      fc.asyncProperty(still, async ({ list: initial, order, pastEnd }) => {
        const list = movingList(initial, new Map(), { order, pastEnd });
        const { whole, noted, end } = await scanAll(list);

        expect(flaws(whole, list)).toEqual([]);
        expect(sorted(ids(whole))).toEqual(listedAs(initial, "whole"));
        expect(sorted(ids(noted))).toEqual(listedAs(initial, "note"));
        expect(end).toMatchObject({ deferred: [], apart: false, suspect: false });
      }),
      400,
    );
  });

  it("costs two reads a page, and a few more where seams that are proved begin and end", async () => {
    await check(
      fc.asyncProperty(still, async ({ list: initial, order, pastEnd }) => {
        const list = movingList(initial, new Map(), { order, pastEnd });
        await scanAll(list);
        expect(list.reads.length).toBeLessThanOrEqual(2.5 * list.pages() + 6 + list.endReads());
      }),
      400,
    );
  });

  it("reads each page of settled responses once", async () => {
    await check(
      fc.asyncProperty(responses(40, fc.constant("settled")), order, async (initial, order) => {
        const list = movingList(initial, new Map(), { order, pastEnd: "empty" });
        await scanAll(list);
        const pages = Array.from({ length: list.pages() + 2 }, (_, i) => i + 1);
        // The first page past the end is looked at again once the second is empty too.
        expect(list.reads).toEqual([...pages, list.pages() + 1]);
      }),
      100,
    );
  });

  it("needs one read past a short page once that is known to be the last, unless a new response ends there", async () => {
    await check(
      fc.asyncProperty(responses(40), order, async (initial, order) => {
        const list = movingList(initial, new Map(), { order, pastEnd: "empty" });
        fc.pre(initial.reduce((sum, one) => sum + one.size, 0) % 100 !== 0);
        const { whole } = await scanAll(list, { shortPageEnds: true });

        expect(flaws(whole, list)).toEqual([]);
        expect(sorted(ids(whole))).toEqual(listedAs(initial, "whole"));
        const isNew = initial.at(order === "asc" ? -1 : 0)?.verdict === "whole";
        expect(Math.max(...list.reads)).toBe(list.pages() + (isNew ? 2 : 1));
      }),
      150,
    );
  });

  it("begun at any page hands out whole whatever has a record on that page or after it", async () => {
    await check(
      fc.asyncProperty(still, fc.integer({ min: 2, max: 12 }), async ({ list: initial, order, pastEnd }, from) => {
        const list = movingList(initial, new Map(), { order, pastEnd });
        const { whole, end } = await scanAll(list, { from });

        expect(flaws(whole, list)).toEqual([]);
        expect(new Set(ids(whole)).size).toBe(whole.length);
        expect(end?.deferred).toEqual([]);
        expect(ids(whole)).toEqual(expect.arrayContaining(reachingPage(initial, order, from)));
        expect(list.reads.length).toBeLessThanOrEqual(2.5 * list.pages() + 6 + from + list.endReads());
      }),
      400,
    );
  });
});

describe("a list that moves while it is read", () => {
  for (const [name, history] of Object.entries(histories)) {
    const moving = fc.record({
      list: responses(30),
      history,
      order,
      pastEnd,
      from: fc.oneof(
        { weight: 3, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 2, max: 8 }) },
      ),
    });

    it(`never hands out a cut response, and none twice: ${name}`, async () => {
      await check(
        fc.asyncProperty(moving, async ({ list: initial, history, order, pastEnd, from }) => {
          const list = movingList(initial, history, { order, pastEnd });
          const { whole, noted, end } = await scanAll(list, { from });
          fc.pre(!list.changedAndBack());

          expect(flaws(whole, list)).toEqual([]);
          expect(new Set(ids(whole)).size).toBe(whole.length);
          expect(new Set(ids(noted)).size).toBe(noted.length);
          expect(end?.deferred.filter((id) => ids(whole).includes(id)) ?? []).toEqual([]);
          expect(list.reads.length).toBeLessThan(MOST_READS);
        }),
        400,
      );
    });

    it(`hands out or defers whatever it has met, unless it was deleted: ${name}`, async () => {
      await check(
        fc.asyncProperty(moving, async ({ list: initial, history, order, pastEnd }) => {
          const list = movingList(initial, history, { order, pastEnd });
          const { whole, met, end } = await scanAll(list);
          fc.pre(end !== undefined && !list.changedAndBack());

          const accounted = new Set([...ids(whole), ...end.deferred]);
          const due = [...met].filter((id) => list.ever.get(id)?.verdict === "whole" && !list.passing.has(id));
          expect(due.filter((id) => !accounted.has(id))).toEqual([]);
        }),
        300,
      );
    });

    it(`with every seam proved misses nothing that was listed all the while: ${name}`, async () => {
      await check(
        fc.asyncProperty(moving, async ({ list: initial, history, order, pastEnd }) => {
          const list = movingList(initial, history, { order, pastEnd });
          const { whole, end } = await scanAll(list, { prove: "news" });
          fc.pre(!list.changedAndBack());

          const stayed = initial.filter(({ id, verdict }) => verdict === "whole" && !list.passing.has(id));
          const accounted = new Set([...ids(whole), ...(end?.deferred ?? [])]);
          if (end?.proved) expect(stayed.filter(({ id }) => !accounted.has(id))).toEqual([]);
          expect(flaws(whole, list)).toEqual([]);
        }),
        300,
      );
    });

    it(`is never certain of records that lie apart where only the pages shift: ${name}`, async () => {
      await check(
        fc.asyncProperty(moving, async ({ list: initial, history, order, pastEnd, from }) => {
          const list = movingList(initial, history, { order, pastEnd });
          const { end } = await scanAll(list, { from });
          fc.pre(!list.changedAndBack());
          expect(end?.apart ?? false).toBe(false);
        }),
        400,
      );
    });
  }
});

describe("a list whose ties stand in another order at each read of their page", () => {
  const tied = fc.record({ list: responses(40), order, pastEnd });

  it("hands every response out once and whole where records of one response tie, at no further read", async () => {
    await check(
      fc.asyncProperty(tied, async ({ list: initial, order, pastEnd }) => {
        const list = movingList(initial, new Map(), { order, pastEnd, ties: "records" });
        const { whole, noted, end } = await scanAll(list);

        expect(flaws(whole, list)).toEqual([]);
        expect(sorted(ids(whole))).toEqual(listedAs(initial, "whole"));
        expect(sorted(ids(noted))).toEqual(listedAs(initial, "note"));
        expect(end).toMatchObject({ deferred: [], apart: false, suspect: false, moved: false });
        expect(list.reads.length).toBeLessThanOrEqual(2.5 * list.pages() + 6 + list.endReads());
      }),
      300,
    );
  });

  for (const [name, history] of Object.entries(histories)) {
    it(`cuts nothing and misses nothing while it moves: ${name}`, async () => {
      await check(
        fc.asyncProperty(tied, history, async ({ list: initial, order, pastEnd }, changes) => {
          const list = movingList(initial, changes, { order, pastEnd, ties: "records" });
          const { whole, end } = await scanAll(list, { prove: "news" });
          fc.pre(!list.changedAndBack());

          expect(flaws(whole, list)).toEqual([]);
          expect(new Set(ids(whole)).size).toBe(whole.length);
          const stayed = initial.filter(({ id, verdict }) => verdict === "whole" && !list.passing.has(id));
          const accounted = new Set([...ids(whole), ...(end?.deferred ?? [])]);
          if (end?.proved) expect(stayed.filter(({ id }) => !accounted.has(id))).toEqual([]);
        }),
        200,
      );
    });
  }

  it("tells of each response that it has cut where whole responses tie, and loses none", async () => {
    await check(
      fc.asyncProperty(tied, async ({ list: initial, order, pastEnd }) => {
        const list = movingList(initial, new Map(), { order, pastEnd, ties: "responses" });
        const { whole, end } = await scanAll(list);

        expect(sorted([...new Set([...ids(whole), ...(end?.deferred ?? [])])])).toEqual(listedAs(initial, "whole"));
        const cut = whole.filter((run) => flaw(run, list) !== undefined);
        expect(ids(end?.scattered ?? [])).toEqual(expect.arrayContaining(ids(cut)));
        expect(end).toMatchObject({ moved: false, deferred: [] });
      }),
      400,
    );
  });
});

/** Responses judged "whole" with a record on page `from` or a later one; all of them when the list ends before it. */
function reachingPage(initial: ListedResponse[], order: "asc" | "desc", from: number): number[] {
  const listed = order === "asc" ? initial : [...initial].reverse();
  let end = 0;
  const reaching: number[] = [];
  for (const response of listed) {
    end += response.size;
    if (end > (from - 1) * 100 && response.verdict === "whole") reaching.push(response.id);
  }
  return reaching;
}
