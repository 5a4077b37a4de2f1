import { describe, expect, it } from "vitest";
import type { PageRead } from "../../../lib/polling/ports.ts";
import { type ScanEnd, type ScanStep, scan, type Verdict } from "../../../lib/polling/scan.ts";
import { type Change, flaw, type ListedResponse, movingList, scanAll } from "./support/moving-list.ts";

type Row = Record<string, unknown>;

const whole = (id: number, size: number): ListedResponse => ({ id, size, verdict: "whole" });
const settled = (id: number, size: number): ListedResponse => ({ id, size, verdict: "settled" });

/** Records of one response, all different. */
function rows(responseId: number, from: number, count: number): Row[] {
  return Array.from({ length: count }, (_, k) => ({ responseId, questionId: from + k, completed: 1 }));
}

/** Scans what `read` gives; every response is judged "whole". */
async function run(read: (page: number) => Promise<PageRead>, verdict: Verdict = "whole") {
  const steps: ScanStep[] = [];
  const scanning = scan({
    from: 1,
    shortPageEnds: undefined,
    prove: "cuts",
    trustEmpty: false,
    read,
    judge: async (runs) => new Map(runs.map(({ responseId }) => [responseId, verdict])),
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
});

describe("records", () => {
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
