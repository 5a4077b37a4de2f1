import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Edge } from "../../../../lib/polling/model/mark.ts";
import { digestOf, readRecord } from "../../../../lib/polling/model/records.ts";
import type { PageRead } from "../../../../lib/polling/ports.ts";
import {
  type ScanEnd,
  type ScanOptions,
  type ScanStep,
  scan,
  type Verdict,
} from "../../../../lib/polling/walk/scan.ts";
import { type Change, flaw, type ListedResponse, movingList, scanAll } from "../../../support/moving-list.ts";

type Row = Record<string, unknown>;

const whole = (id: number, size: number): ListedResponse => ({ id, size, verdict: "whole" });
const settled = (id: number, size: number): ListedResponse => ({ id, size, verdict: "settled" });

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Records of one response, all different. */
function rows(responseId: number, from: number, count: number): Row[] {
  return Array.from({ length: count }, (_, k) => ({ responseId, questionId: from + k, completed: 1 }));
}

const digest = (row: Row): string => readRecord(row).digest;

/** Scans what `read` gives; every response is judged "whole". */
async function run(
  read: (page: number) => Promise<PageRead>,
  verdict: Verdict = "whole",
  more: Partial<ScanOptions> = {},
) {
  const steps: ScanStep[] = [];
  const scanning = scan({
    from: 1,
    shortPageEnds: undefined,
    prove: "cuts",
    trustEmpty: false,
    read,
    judge: async (runs) => new Map(runs.map(({ responseId }) => [responseId, verdict])),
    ...more,
  });
  for (;;) {
    const next = await scanning.next();
    if (next.done) return { steps, end: next.value satisfies ScanEnd };
    steps.push(next.value);
  }
}

/** Pages of a list that holds still, empty past its end. */
function still(records: unknown[]): (page: number) => Promise<PageRead> {
  return async (page) => ({ kind: "page", records: records.slice((page - 1) * 100, page * 100) });
}

describe("the end of the list", () => {
  it("says that pages have moved where nothing is left of the page on which an earlier scan has ended", async () => {
    const { steps } = await run(still(rows(1, 1, 150)));
    const edge = steps[0]?.edge();
    const { end } = await run(still([]), "whole", { expect: edge, prove: "all", joins: true });
    expect(end).toMatchObject({ empty: true, moved: true, covered: false, proved: false });
  });

  it("is not one empty page: that may be a fault of the moment", async () => {
    const responses = Array.from({ length: 50 }, (_, i) => whole(i + 1, 10));
    const list = movingList(responses, new Map(), { order: "asc", pastEnd: "empty" });
    let faulty = true;
    const read = async (page: number): Promise<PageRead> => {
      if (page === 3 && faulty) {
        faulty = false;
        return { kind: "page", records: [] };
      }
      return list.read(page);
    };

    const { whole: found } = await scanAll({ ...list, read });

    expect(found.map((one) => flaw(one, list))).toEqual(found.map(() => undefined));
    expect(found.map(({ responseId }) => responseId)).toEqual(responses.map(({ id }) => id));
  });

  it("is not where a page stays empty although the next one is there: that is an error, and no end", async () => {
    const list = still(rows(1, 1, 450));
    const read = async (page: number): Promise<PageRead> => (page === 3 ? { kind: "page", records: [] } : list(page));
    await expect(run(read)).rejects.toMatchObject({ code: "RANGE_UNREACHABLE", retryable: true });
  });

  it("is not a page equal to the one before when a page of new responses has pushed it there", async () => {
    const shift: Change = { kind: "arrival", place: 1, size: 100, verdict: "whole" };
    const list = movingList([whole(1, 70), whole(2, 60), whole(3, 100)], new Map([[1, [shift]]]), {
      order: "desc",
      pastEnd: "repeats",
    });

    const { whole: found } = await scanAll(list);

    expect(found.map((one) => flaw(one, list))).toEqual(found.map(() => undefined));
    expect(found.map(({ responseId }) => responseId).sort()).toEqual([1, 2, 3, 4]);
  });

  it("is not a page equal to the first one where another one follows", async () => {
    const asked = rows(1, 1, 100);
    const { steps, end } = await run(still([...asked, ...rows(2, 1, 100), ...asked, ...rows(3, 1, 150)]), "settled");
    expect(steps.map(({ page }) => page)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5]));
    expect(end).toMatchObject({ ended: true, moved: false });
  });

  it("is not a page equal to the first one where it is the last, and nothing comes behind it", async () => {
    const asked = rows(1, 1, 100);
    const { steps, end } = await run(still([...asked, ...rows(2, 1, 100), ...asked]), "settled");
    expect(steps.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(end).toMatchObject({ ended: true, moved: false });
  });

  it.each([50, 100])("is where the first page comes again, behind a last one of %s records", async (last) => {
    const records = [...rows(1, 1, 60), ...rows(2, 1, 60), ...rows(3, 1, 80 + last)];
    const list = still(records);
    const read = async (page: number): Promise<PageRead> => list(page <= 3 ? page : 1);
    const { steps, end } = await run(read);
    const whole = steps.flatMap((step) => step.whole);
    expect(whole.map(({ responseId, records: all }) => [responseId, all.length])).toEqual([
      [1, 60],
      [2, 60],
      [3, 80 + last],
    ]);
    expect(end).toMatchObject({ ended: true, covered: true, moved: false, apart: false, suspect: false, deferred: [] });
  });

  it("is not a page equal to the one before, and that one as it was, where it shows so only once", async () => {
    for (const prove of ["cuts", "all"] as const) {
      const records: unknown[] = Array.from({ length: 500 }, (_, i) => ({
        responseId: 1 + Math.floor(i / 30),
        completed: i,
      }));
      let reads = 0;
      const { steps } = await run(
        async (page) => {
          reads += 1;
          // A page's worth of records has come before the second read, and is gone after it.
          return still(reads === 2 ? [...rows(99, 1, 100), ...records] : records)(page);
        },
        "whole",
        { prove },
      );
      const sizes = steps.flatMap((step) => step.whole).map((one) => one.records.length);
      expect(sizes).toEqual([...Array.from({ length: 16 }, () => 30), 20]);
    }
  });

  it.each([353, 1_353])(
    "is not a page equal to the one before in the midst of a response of %i equal records",
    async (many) => {
      const [equal] = rows(2, 1, 1) as [Row];
      const list = [...rows(1, 1, 30), ...Array.from({ length: many }, () => equal), ...rows(3, 1, 40)];
      const { steps, end } = await run(still(list));
      const runs = steps.flatMap((step) => step.whole);
      expect(runs.map(({ responseId, records }) => [responseId, records.length])).toEqual([
        [1, 30],
        [2, many],
        [3, 40],
      ]);
      expect(end).toMatchObject({ covered: true, moved: false });
    },
  );

  it("is a page equal to the one before that one response fills, where all behind it are equal", async () => {
    const list = rows(1, 1, 200);
    const reads: number[] = [];
    const { steps, end } = await run(async (page) => {
      reads.push(page);
      return still(list)(Math.min(page, 2));
    });
    const runs = steps.flatMap((step) => step.whole);
    expect(runs.map(({ responseId, records }) => [responseId, records.length])).toEqual([[1, 200]]);
    expect(end).toMatchObject({ covered: true, moved: false, ended: true });
    expect(reads.length).toBeLessThan(25);
  });

  it("is that page also where one behind it is read as empty by mistake", async () => {
    const list = rows(1, 1, 200);
    for (const empty of [3, 4, 5, 7, 11, 19, 35, 67]) {
      let mistakes = 0;
      const { steps, end } = await run(async (page) => {
        if (page !== empty || mistakes > 0) return still(list)(Math.min(page, 2));
        mistakes += 1;
        return { kind: "page", records: [] };
      });
      expect(mistakes).toBe(1);
      const runs = steps.flatMap((step) => step.whole);
      expect(runs.map(({ responseId, records }) => [responseId, records.length])).toEqual([[1, 200]]);
      expect(end).toMatchObject({ ended: true });
    }
  });

  it.each(["asc", "desc"] as const)(
    "is no page of the list's own where a full last page is repeated while the list grows (%s)",
    async (order) => {
      const settledOnes = range(1, 20).map((id) => settled(id, 10));
      for (const place of [0, 1]) {
        for (const at of range(0, 25)) {
          const growth: Change = { kind: "arrival", place, size: 10, verdict: "whole" };
          for (const prove of ["cuts", "news", "all"] as const) {
            const list = movingList(settledOnes, new Map([[at, [growth]]]), { order, pastEnd: "repeats" });
            const { whole: found, end } = await scanAll(list, { prove });
            expect(found.map(({ records }) => records.length).filter((size) => size !== 10)).toEqual([]);
            expect(end).toMatchObject({ apart: false, suspect: false });
          }
        }
      }
    },
  );

  it("is not told by a short page that this very scan has taken for the last one, as the one behind it stayed empty", async () => {
    const [first, second] = [
      [...rows(1, 1, 87), ...rows(2, 1, 3)],
      [...rows(2, 1, 5), ...rows(3, 1, 20)],
    ];
    let reads = 0;
    const { steps } = await run(async (page) => {
      reads += 1;
      const isThere = reads > 4;
      return { kind: "page", records: page === 1 ? first : page === 2 && isThere ? second : [] };
    });
    const found = steps.flatMap((step) => step.whole).map(({ responseId, records }) => [responseId, records.length]);
    expect(found).toEqual([
      [1, 87],
      [2, 8],
      [3, 20],
    ]);
  });

  it("that repeats its last page says that pages have moved where it repeats another one than was read", async () => {
    const records = rows(1, 1, 120);
    let reads = 0;
    const read = async (page: number): Promise<PageRead> => {
      reads += 1;
      // A record goes from page 1 once page 2 is read and proved: all behind it come forward.
      if (reads === 4) records.shift();
      const last = Math.ceil(records.length / 100);
      return still(records)(Math.min(page, last));
    };
    const { end } = await run(read, "settled");
    expect(end.moved).toBe(true);
  });

  it("is not proved where a page with news, read before the list became shorter, was the last one since", async () => {
    const responses = [101, 113, 12, 6, 49, 19, 1].map((size, i) => whole(i + 1, size));
    responses[5] = { id: 6, size: 19, verdict: "note" };
    const changes = new Map<number, Change[]>([[6, [{ kind: "deletion", place: 0 }]]]);
    const list = movingList(responses, changes, { order: "asc", pastEnd: "empty" });
    const { whole: found, end } = await scanAll(list, { prove: "news" });
    expect(list.reads.slice(0, 8)).toEqual([1, 2, 1, 2, 3, 2, 4, 3]);
    const ids = [...found.map(({ responseId }) => responseId), ...(end?.deferred ?? [])];
    expect(end?.proved === false || ids.includes(7)).toBe(true);
  });

  /** One short page, or more; each page behind these fails. */
  function failingBehind(pages: unknown[][], more: Partial<ScanOptions> = {}) {
    const read = async (page: number): Promise<PageRead> => {
      const records = pages[page - 1];
      if (records === undefined) throw Object.assign(new Error("500"), { code: "SERVER_ERROR" });
      return { kind: "page", records };
    };
    // Whatever the order, which says nothing then.
    const otherFirst = async (): Promise<PageRead> => ({ kind: "page", records: pages[0] ?? [] });
    return run(read, "whole", { failsPastEnd: () => true, otherFirst, ...more });
  }

  it("is a page that fails behind a short one where that is how the service answers, and teaches nothing", async () => {
    const { steps, end } = await failingBehind([rows(1, 1, 100), rows(2, 1, 30)]);
    expect(steps.flatMap((step) => step.whole.map(({ responseId }) => responseId))).toEqual([1, 2]);
    expect(end).toMatchObject({ failing: true, ended: true, deferred: [] });
    expect(end.shortPageEnds).toBeUndefined();
  });

  it.each([
    ["a full one", [rows(1, 1, 100)], {}],
    ["a short one where short pages go on", [rows(1, 1, 60), rows(2, 1, 30)], {}],
    ["a short one where that has not lasted", [[...rows(1, 1, 30), ...rows(2, 1, 30)]], { failsPastEnd: () => false }],
  ] as const)("is not a page that fails behind %s", async (_, pages, more) => {
    const read = pages.map((page) => [...page]);
    await expect(failingBehind(read, more)).rejects.toMatchObject({ code: "SERVER_ERROR" });
  });

  it.each([
    ["a full one", 200],
    ["a short one where short pages go on", 150],
  ])("is a page that fails behind %s where the other order begins with what ends it", async (_, count) => {
    const records = range(1, count / 5).flatMap((id) => rows(id, 1, 5));
    const otherFirst = async (): Promise<PageRead> => ({ kind: "page", records: records.toReversed().slice(0, 100) });
    const pages = [records.slice(0, 100), records.slice(100)];
    const { steps, end } = await failingBehind(pages, { otherFirst, failsPastEnd: () => false, shortPageEnds: false });
    expect(steps.flatMap((step) => step.whole.map(({ responseId }) => responseId))).toEqual(range(1, count / 5));
    expect(end).toMatchObject({ failing: true, ended: true, covered: true, deferred: [], shortPageEnds: false });
  });

  it("is sought from half as far on where a scan begins behind it, at the fifth page or behind an edge that is gone", async () => {
    const records = range(1, 40).flatMap((id) => rows(id, 1, 5));
    const otherFirst = async (): Promise<PageRead> => ({ kind: "page", records: records.toReversed().slice(0, 100) });
    const pages = [records.slice(0, 100), records.slice(100)];
    const begun = await failingBehind(pages, { from: 5, otherFirst });
    expect(begun.steps.map(({ page }) => page)).toEqual([1, 2, 2]);

    const longer = range(1, 90).flatMap((id) => rows(id, 1, 5));
    const { steps } = await run(still(longer));
    for (const page of [3, 4]) {
      const after = steps.find((step) => step.page === page)?.edge();
      const { end, steps: gone } = await failingBehind(pages, { after, otherFirst, prove: "all" });
      expect(gone.at(-1)?.page, `behind page ${page}`).toBe(2);
      expect(end).toMatchObject({ moved: true, covered: false });
    }
  });

  it("is not where every page fails but the first", async () => {
    const failing = failingBehind([rows(1, 1, 100)], {
      from: 3,
      otherFirst: still(rows(1, 1, 300)).bind(undefined, 3),
    });
    await expect(failing).rejects.toMatchObject({ code: "SERVER_ERROR" });
  });

  it("is read again from the last page on where that has changed before what is behind it fails", async () => {
    const records = range(1, 20).flatMap((id) => rows(id, 1, 5));
    const { steps: earlier } = await run(still(records.slice(0, 90)));
    const after = earlier[0]?.edge();
    const otherFirst = async (): Promise<PageRead> => ({ kind: "page", records: records.toReversed() });
    const { steps, end } = await failingBehind([records], { after, otherFirst });
    expect(steps.flatMap((step) => step.whole.map(({ responseId }) => responseId))).toEqual(range(1, 20));
    expect(end).toMatchObject({ failing: true, moved: true });
  });

  it("is not a page that fails while the one before it changes, or the one behind it is there", async () => {
    const records = [...rows(1, 1, 30), ...rows(2, 1, 30)];
    let reads = 0;
    const failsAt = (fails: number, gives: (page: number) => unknown[]) =>
      run(
        async (page) => {
          if (page === fails) throw Object.assign(new Error("500"), { code: "SERVER_ERROR" });
          return { kind: "page", records: gives(page) };
        },
        "whole",
        { failsPastEnd: () => true, otherFirst: async () => ({ kind: "page", records }) },
      );
    const growing = failsAt(2, () => [...records, ...rows(3, 1, ++reads)]);
    await expect(growing).rejects.toMatchObject({ code: "SERVER_ERROR" });
    const hole = failsAt(2, (page) => (page === 1 ? records : rows(4, 1, 10)));
    await expect(hole).rejects.toMatchObject({ code: "RANGE_UNREACHABLE" });
  });

  it("after a short page teaches that a short page is the last", async () => {
    const short = movingList([whole(1, 130)], new Map(), { order: "asc", pastEnd: "empty" });
    const full = movingList([whole(1, 200)], new Map(), { order: "asc", pastEnd: "empty" });

    expect((await scanAll(short)).end?.shortPageEnds).toBe(true);
    expect((await scanAll(full)).end?.shortPageEnds).toBeUndefined();
  });

  it("is not a short page in a list that has shown others after one", async () => {
    const pages = [rows(1, 1, 100), rows(2, 1, 60), rows(3, 1, 100), rows(4, 1, 30)];
    const read = async (page: number): Promise<PageRead> => ({ kind: "page", records: pages[page - 1] ?? [] });

    const { steps, end } = await run(read);

    expect(end).toMatchObject({ shortPageEnds: false });
    expect(steps.flatMap((step) => step.whole.map(({ responseId }) => responseId))).toEqual([1, 2, 3, 4]);
  });
});

describe("a seam", () => {
  it("that never holds still is left for a later scan, whatever lies beyond it goes on", async () => {
    const restless = new Map<number, Change[]>();
    for (let read = 1; read < 14; read += 1) {
      restless.set(read, [{ kind: "arrival", place: 1, size: 7, verdict: "settled" }]);
    }
    const list = movingList([whole(1, 30), whole(2, 300), settled(3, 60)], restless, {
      order: "desc",
      pastEnd: "empty",
    });

    const { whole: found, end } = await scanAll(list);

    expect(end?.deferred).toEqual([2]);
    expect(found.map(({ responseId }) => responseId)).toEqual([1]);
    expect(found.map((one) => flaw(one, list))).toEqual([undefined]);
  });

  it("around which two changes cancel each other is found out by the second read of the page behind it", async () => {
    const records: unknown[] = Array.from({ length: 250 }, (_, i) => ({ responseId: i + 1, completed: 1 }));
    let reads = 0;
    const steps = scan({
      from: 1,
      shortPageEnds: true,
      prove: "all",
      trustEmpty: false,
      read: async (page) => {
        reads += 1;
        // One goes before the last page is read, and another comes before the page before it is read again.
        if (reads === 4) records.shift();
        if (reads === 5) records.unshift({ responseId: 1_000, completed: 1 });
        return still(records)(page);
      },
      judge: async (runs) => new Map(runs.map(({ responseId }) => [responseId, "settled" as const])),
    });
    const ids = new Set<number>();
    for await (const step of steps) for (const id of step.ids) ids.add(id);

    for (let id = 2; id <= 250; id += 1) expect(ids).toContain(id);
  });

  it("that is around a new response is proved by both of its pages: two changes may cancel each other while the later one is read", async () => {
    for (const order of [0, 1]) {
      // One page of which the last response goes on behind it, and one that begins with a new one.
      const records: unknown[] = [...rows(1, 1, 96), ...rows(2, 1, order === 0 ? 6 : 4), ...rows(3, 1, 30)];
      const asked: number[] = [];
      const read = async (page: number): Promise<PageRead> => {
        asked.push(page);
        // What goes before the read of the later page comes back, as another one of its size, right after it.
        const gone = asked.length === 2 ? records.splice(0, 2) : [];
        const result = await still(records)(page);
        records.unshift(...gone);
        return result;
      };
      const { steps, end } = await run(read);
      const joined = steps.flatMap((step) => step.whole);
      expect(asked.slice(0, 4)).toEqual([1, 2, 1, 2]);
      expect(joined.map(({ responseId, records: { length } }) => [responseId, length])).toEqual([
        [1, 96],
        [2, order === 0 ? 6 : 4],
        [3, 30],
      ]);
      expect(end.moved).toBe(true);
    }
  });

  it("that does not hold still is told of also where nothing is left that matters", async () => {
    let reads = 0;
    const { end } = await run(
      async (page) => {
        reads += 1;
        const records = Array.from({ length: 150 }, (_, i) => ({ responseId: i + reads, completed: 1 }));
        return still(reads > 40 ? records.slice(reads - 40) : records)(page);
      },
      "note",
      { prove: "all" },
    );
    expect(end).toMatchObject({ deferred: [], proved: false, covered: false });
  });

  it("behind which a record differs at each read does not keep the scan for ever", async () => {
    // The last one of page 2, which stands at no other moment as it was.
    const records = range(1, 60).flatMap((id) => rows(id, 1, 5));
    for (const place of [150, 197, 199]) {
      let reads = 0;
      const { steps, end } = await run(
        async (page) => {
          reads += 1;
          if (reads > 200) throw new Error("more reads than any list of three pages takes");
          return still(records.map((row, i) => (i === place ? { ...row, questionId: 1_000 + reads } : row)))(page);
        },
        "whole",
        { prove: "all" },
      );
      const met = steps.flatMap((step) => step.whole.map(({ responseId }) => responseId));
      expect(end).toMatchObject({ moved: true, covered: false });
      expect(new Set(met).size).toBe(met.length);
      expect([...met, ...end.deferred].toSorted((a, b) => a - b)).toEqual(range(1, 60));
    }
  });

  it("that an arrival has moved is no proof that records lie apart, from wherever the scan has begun", async () => {
    // Three responses stand across the ends of pages, and the scan begins within the first of them.
    const records = range(1, 70).flatMap((id) => rows(id, 1, 7));
    for (const from of [2, 3, 4]) {
      for (const when of range(1, 6)) {
        for (const size of [1, 7, 60, 130]) {
          let reads = 0;
          const { end } = await run(
            async (page) => {
              reads += 1;
              return still(reads > when ? [...rows(900, 1, size), ...records] : records)(page);
            },
            "settled",
            { from, prove: "all" },
          );
          expect(end.apart).toBe(false);
        }
      }
    }
  });

  it("that is gone with the page where an earlier scan has ended covers nothing, as this one begins further up", async () => {
    const all = rows(0, 1, 1_400).map((row, i) => ({ ...row, responseId: i + 1 }));
    const before = await run(still(all), "settled", { prove: "all" });
    const edge = before.steps.find(({ page }) => page === 8)?.edge() as Edge;
    // 750 of the 800 that it had read: what stood behind them begins on page 1 now.
    const { steps, end } = await run(still(all.slice(750)), "settled", { prove: "all", from: 8, expect: edge });
    expect(steps.flatMap(({ ids }) => ids)).not.toContain(901);
    expect(end).toMatchObject({ covered: false, moved: true });
  });

  it("of a list that flips between states, one after the other, comes to its end", async () => {
    const all = rows(0, 1, 489).map((row, i) => ({ ...row, responseId: 1 + Math.floor(i / 15) }));
    const states = [444, 423, 211].map((length) => all.slice(-length));
    let reads = 0;
    const flipping = async (page: number): Promise<PageRead> => {
      const list = states[[1, 2, 0][reads % 3] as number] as Row[];
      reads += 1;
      if (reads > 1_000) throw new Error("no end");
      return still(list)(page);
    };
    const { end } = await run(flipping, "whole", { prove: "all" });
    expect(end).toMatchObject({ covered: false, moved: true });
  });

  it("that has moved covers all the same where the end of its page is found again, and else does not", async () => {
    const records = range(1, 120).flatMap((id) => rows(id, 1, 5));
    const moved = async (change: (list: Row[]) => Row[]) => {
      let reads = 0;
      const { steps, end } = await run(
        async (page) => {
          reads += 1;
          return still(reads > 5 ? change(records) : records)(page);
        },
        "settled",
        { prove: "all" },
      );
      const met = new Set(steps.flatMap((step) => step.ids));
      return { end, missed: range(1, 120).filter((id) => !met.has(id)) };
    };
    for (const size of [3, 60, 150, 250]) {
      const { end, missed } = await moved((list) => [...rows(900, 1, size), ...list]);
      expect(end).toMatchObject({ covered: true, moved: true });
      expect(missed).toEqual([]);
    }
    for (const size of [3, 60, 150]) {
      const { end, missed } = await moved((list) => list.slice(size));
      expect(end).toMatchObject({ covered: true, moved: true });
      expect(missed).toEqual([]);
    }
    const { end, missed } = await moved((list) => list.slice(290));
    expect(end).toMatchObject({ covered: false, moved: true });
    expect(missed.length).toBeGreaterThan(0);
  });

  it("is looked at a third time where the list was seen to move: it may go to and fro at just the four reads", async () => {
    const records = [...rows(1, 1, 97), ...rows(2, 1, 6), ...rows(3, 1, 93), ...rows(4, 1, 6), ...rows(5, 1, 40)];
    const asked: number[] = [];
    const times = (page: number): number => asked.filter((one) => one === page).length;
    const { steps, end } = await run(async (page) => {
      asked.push(page);
      // Seen to move at its first seam; at the second one it has two records less whenever page 3 is read, twice.
      const moves = (page === 1 && times(1) === 2) || (page === 3 && times(3) <= 2);
      return still(moves ? records.slice(2) : records)(page);
    });
    const joined = steps.flatMap((step) => step.whole);
    expect(end).toMatchObject({ moved: true, deferred: [] });
    expect(joined.map(({ responseId, records: { length } }) => [responseId, length])).toEqual([
      [1, 97],
      [2, 6],
      [3, 93],
      [4, 6],
      [5, 40],
    ]);
  });

  it("where the list ended for a moment is no end of a response that goes on behind it", async () => {
    const records: unknown[] = [...rows(1, 1, 97), ...rows(2, 1, 6)];
    const asked: number[] = [];
    const { steps } = await run(async (page) => {
      asked.push(page);
      // As if others had gone before it, and came back.
      return still(page > 1 && asked.length < 5 ? records.slice(3) : records)(page);
    });
    expect(
      steps.flatMap((step) => step.whole).map(({ responseId, records: { length } }) => [responseId, length]),
    ).toEqual([
      [1, 97],
      [2, 6],
    ]);
  });

  it("is read again where the last page comes once more, a little changed, and a response stands at both of its ends", async () => {
    const ends = rows(9, 1, 2);
    const known = digestOf({ responseId: 9, records: ends.map((record) => readRecord(record)) });
    const list = (last: Row): Row[] => [...ends.slice(1), ...rows(1, 1, 3), last, ...ends.slice(0, 1)];
    const asked: number[] = [];
    const { steps } = await run(
      async (page) => {
        asked.push(page);
        // Past its end the service repeats the page; one is completed after the first read.
        return still(list({ responseId: 2, questionId: 1, completed: Number(asked.length > 1) }))(1);
      },
      "settled",
      { prove: "all", known: (responseId) => (responseId === 9 ? known : undefined) },
    );
    expect(asked.slice(0, 3)).toEqual([1, 2, 1]);
    expect(steps.map(({ page }) => page)).toEqual([1, 1]);
  });

  it("is read again where a record shifted across it equals the one that stood there, as the two of its response are", async () => {
    const twin = { responseId: 100, completed: 1 };
    // One of the two stands where nobody looks: records lie apart.
    const records: unknown[] = [...rows(1, 1, 99), twin, ...rows(2, 1, 20)];
    const known = digestOf({ responseId: 100, records: [readRecord(twin), readRecord(twin)] });
    const asked: number[] = [];
    const steps = scan({
      from: 1,
      shortPageEnds: undefined,
      prove: "all",
      trustEmpty: false,
      known: (responseId) => (responseId === 100 ? known : undefined),
      read: async (page) => {
        asked.push(page);
        const read = await still(records)(page);
        if (asked.length === 1) records.unshift(...rows(3, 1, 1));
        return read;
      },
      judge: async (runs) => new Map(runs.map(({ responseId }) => [responseId, "settled" as const])),
    });
    const ids: number[] = [];
    for await (const step of steps) ids.push(...step.ids);

    expect(asked.slice(0, 3)).toEqual([1, 2, 1]);
    expect(ids).toContain(3);
  });
});

describe("a response that ends with its page", () => {
  it("is not joined with itself where something stood before it only while the page behind was read", async () => {
    const records = [...rows(1, 1, 97), ...rows(2, 1, 3), ...rows(3, 1, 50)];
    const asked: number[] = [];
    const read = async (page: number): Promise<PageRead> => {
      asked.push(page);
      // As one that is begun, listed first while it has no date, and completed at once.
      const begun = asked.length === 2 ? rows(4, 1, 3) : [];
      return still([...begun, ...records])(page);
    };
    const { steps, end } = await run(read);

    const joined = steps.flatMap((step) => step.whole);
    expect(asked.slice(0, 4)).toEqual([1, 2, 1, 2]);
    expect(joined.map(({ responseId, records: { length } }) => [responseId, length])).toEqual([
      [1, 97],
      [2, 3],
      [3, 50],
    ]);
    expect(end.moved).toBe(true);
  });

  it("and has equal records on both sides of the edge goes out with all of them", async () => {
    const twins = Array.from({ length: 6 }, () => ({ responseId: 2, questionId: 1, completed: 1 }));
    const { steps } = await run(still([...rows(1, 1, 97), ...twins, ...rows(3, 1, 50)]));
    const joined = steps.flatMap((step) => step.whole);
    expect(joined.map(({ responseId, records: { length } }) => [responseId, length])).toEqual([
      [1, 97],
      [2, 6],
      [3, 50],
    ]);
  });
});

describe("a page where an earlier scan has ended", () => {
  const page1 = [...rows(1, 1, 97), ...rows(3, 1, 1), ...rows(2, 1, 2)];
  const page2 = [...rows(3, 2, 1), ...rows(4, 1, 1)];
  const edge: Edge = {
    page: 1,
    size: 100,
    digest: hash("sha1", page1.map(digest).sort().join("\n"), "base64url"),
    tail: page1.slice(-6).map(digest),
    carry: { responseId: 2, digests: page1.slice(-2).map(digest), sure: true },
  };
  const goOn = (after: Edge) => run(still([...page1, ...page2]), "whole", { after, prove: "all" });

  it("and the one behind it both show a response, yet not across the edge between them: its records lie apart", async () => {
    const { steps } = await goOn(edge);
    // Told with the very step that hands it out: it is to be confirmed.
    const [handedOut] = steps.filter((step) => step.whole.some(({ responseId }) => responseId === 3));
    expect(handedOut?.apart).toBe(true);
  });

  it("whose digest was kept when the order of its records still counted is read once more, and nothing is missed", async () => {
    const { steps, end } = await goOn({ ...edge, digest: hash("sha1", page1.map(digest).join("\n"), "base64url") });
    expect(new Set(steps.flatMap(({ ids }) => ids))).toEqual(new Set([1, 2, 3, 4]));
    expect(end).toMatchObject({ moved: true, covered: true });
  });
});

describe("records", () => {
  it("of one response in two places of a page lie apart, which is told before any of them is handed out", async () => {
    const { steps } = await run(
      still([...rows(1, 1, 90), ...rows(2, 1, 3), ...rows(3, 1, 5), ...rows(2, 4, 2), ...rows(4, 1, 9)]),
    );
    expect(steps.map(({ apart }) => apart)).toEqual([true, true, true]);
  });

  it("that are equal are all kept: nothing says that a response has one record a question", async () => {
    const twice = rows(1, 1, 1);
    const { steps } = await run(still([...twice, ...twice, ...rows(1, 2, 1)]));
    expect(steps.flatMap((step) => step.whole.map(({ records }) => records.length))).toEqual([3]);
  });

  it("found under a response that was already whole are reported as lying apart", async () => {
    const { steps, end } = await run(still([...rows(1, 1, 3), ...rows(2, 1, 3), ...rows(1, 4, 2)]));

    expect(end.apart).toBe(true);
    expect(steps.flatMap((step) => step.whole.map(({ responseId }) => responseId))).toEqual([1, 2]);
  });

  it("are not taken for lying apart when a response arrives where the scan has been, and pushes one over an edge", async () => {
    for (const prove of ["cuts", "news"] as const) {
      for (const verdict of ["note", "settled"] as const) {
        const listed = Array.from({ length: 200 }, (_, i) => ({ id: i + 1, size: 3, verdict }));
        const arrival: Change = { kind: "arrival", place: 0.05, size: 7, verdict };
        const list = movingList(listed, new Map([[2, [arrival]]]), { order: "asc", pastEnd: "empty" });

        const { end } = await scanAll(list, { prove });

        expect([prove, verdict, end?.apart]).toEqual([prove, verdict, false]);
      }
    }
  });

  it("are not taken for lying apart when their response is completed, moves on, and another one takes its place", async () => {
    const records: unknown[] = [{ responseId: 1, completed: 0 }, ...rows(2, 1, 250)];
    let reads = 0;

    const { end } = await run(async (page) => {
      reads += 1;
      // The seam between the first two pages is proved by then, and the second page stays as it was.
      if (reads === 4) records.splice(0, 1, { responseId: 3, completed: 0 });
      if (reads === 4) records.push({ responseId: 1, completed: 1, dateCompleted: "2026-03-02 10:00:00" });
      return still(records)(page);
    });

    expect({ apart: end.apart, suspect: end.suspect }).toEqual({ apart: false, suspect: true });
  });

  it("without a readable responseId are handed out once each, and do not cut the response around them", async () => {
    const orphan = { responseId: "x", questionId: 1, completed: 1 };
    const list = [...rows(1, 1, 98), orphan, ...rows(1, 99, 20), { ...orphan, questionId: 2 }, ...rows(2, 1, 3)];

    const { steps } = await run(still(list));

    expect(steps.flatMap((step) => step.orphans.map(({ raw }) => raw))).toEqual([orphan, { ...orphan, questionId: 2 }]);
    expect(steps.flatMap((step) => step.whole.map(({ responseId, records }) => [responseId, records.length]))).toEqual([
      [1, 118],
      [2, 3],
    ]);
  });
});

describe("what counts as news", () => {
  it("is nothing on a page of settled responses, and a cut response as soon as its first part is seen", async () => {
    const list = movingList([whole(1, 150), settled(2, 50), settled(3, 100)], new Map(), {
      order: "desc",
      pastEnd: "empty",
    });

    const { steps } = await scanAll(list);

    expect(steps.map(({ page, news }) => [page, news])).toEqual([
      [1, false],
      [2, true],
      [3, true],
      [3, true],
    ]);
  });
});
