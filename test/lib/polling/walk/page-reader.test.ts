import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PageRead } from "../../../../lib/polling/ports.ts";
import { createPageReader } from "../../../../lib/polling/walk/page-reader.ts";
import { histories, order, pastEnd, responses } from "../../../support/moving-histories.ts";
import { flaw, movingList, scanAll, shuffled } from "../../../support/moving-list.ts";

/** A list of so many pages whose reads are answered when it is told so. */
function listOf(pages: number, left?: (page: number) => number | undefined) {
  let asked: number[] = [];
  const open: (() => void)[] = [];
  const reader = createPageReader(
    (page) => {
      asked.push(page);
      const result: PageRead = { kind: "page", records: page > pages ? [] : [{ page }] };
      return new Promise((resolve) => open.push(() => resolve(result)));
    },
    { isAhead: true, left },
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** Answers whatever is asked for until a page has come; gives the pages that were asked for on the way. */
  async function until(page: Promise<PageRead>, before = asked.length): Promise<number[]> {
    let isThere = false;
    void page.then(() => {
      isThere = true;
    });
    while (!isThere) {
      for (const answer of open.splice(0)) answer();
      await settle();
    }
    return asked.slice(before);
  }

  return {
    reader,
    read: (page: number): Promise<number[]> => {
      asked = [];
      return until(reader.read(page), 0);
    },
    /** Proves the seam before a page that was just read. */
    async prove(page: number): Promise<number[]> {
      asked = [];
      if (page > 1) await until(reader.reread(page - 1));
      if (page > 1) await until(reader.reread(page));
      return asked;
    },
    async answerAll(): Promise<number[]> {
      asked = [];
      while (open.length > 0) {
        for (const answer of open.splice(0)) answer();
        await settle();
      }
      return asked;
    },
  };
}

/** Proves the seam before a page that was just read, as a scan does. */
async function prove({ reread }: ReturnType<typeof createPageReader>, page: number): Promise<void> {
  if (page === 1) return;
  await reread(page - 1);
  await reread(page);
}

describe("what is read before its turn", () => {
  it("is the next page alone as long as no seams are proved, once the page before it is there", async () => {
    const list = listOf(100);
    expect(await list.read(1)).toEqual([1]);
    expect(await list.read(2)).toEqual([2, 3]);
    expect(await list.read(3)).toEqual([4]);
    expect(await list.read(4)).toEqual([5]);
  });

  it("is more with each seam that was proved, and is read twice, which serves as the proof", async () => {
    const list = listOf(100);
    const all: number[] = [];
    for (let page = 1; page <= 60; page += 1) {
      all.push(...(await list.read(page)));
      all.push(...(await list.prove(page)));
    }
    all.push(...(await list.answerAll()));
    const times = Map.groupBy(all, (page) => page);
    for (let page = 1; page < 60; page += 1) expect(times.get(page)).toHaveLength(2);
    expect(Math.max(...all)).toBeGreaterThan(65);
    expect(Math.max(...all)).toBeLessThan(75);
  });

  it("is as much as may be early on where it is known how long the list is, and little behind its end", async () => {
    const ahead = async (left: (page: number) => number) => {
      const list = listOf(40, left);
      const reached: number[] = [];
      for (let page = 1; page <= 40; page += 1) {
        const asked = [...(await list.read(page)), ...(await list.prove(page))];
        reached.push(Math.max(reached.at(-1) ?? 0, ...asked));
      }
      return reached;
    };
    const known = await ahead((page) => 40 - page);
    expect(known[7]).toBeGreaterThan(16);
    expect(known[39]).toBe(41);
    // A guess that is wrong costs no more than what is on its way.
    expect((await ahead((page) => 1_000 - page))[39]).toBeLessThanOrEqual(40 + 12);
    expect((await ahead((page) => 5 - page))[39]).toBeLessThanOrEqual(40 + 7);
  });

  it("is given out although its records stand in another order at the second read", async () => {
    const asked: number[] = [];
    const reader = createPageReader(
      async (page) => {
        asked.push(page);
        const records = [{ page }, { page, second: true }];
        return { kind: "page", records: asked.length % 2 === 0 ? records : records.reverse() };
      },
      { isAhead: true },
    );
    for (let page = 1; page <= 40; page += 1) {
      await reader.read(page);
      await prove(reader, page);
    }
    await reader.close();
    for (let page = 1; page < 39; page += 1) expect(asked.filter((one) => one === page)).toHaveLength(2);
  });

  it("is not given out when it shows what stood before a change that the page before it shows already", async () => {
    const came = new Set<number>();
    let old: number | undefined;
    const reader = createPageReader(
      async (page) => {
        // The first one that is asked for together with the page before it.
        const isOld = old === undefined && page > 1 && !came.has(page - 1);
        if (isOld) old = page;
        await new Promise((resolve) => setImmediate(resolve));
        came.add(page);
        return { kind: "page", records: [{ page, state: isOld ? "before" : "after" }] };
      },
      { isAhead: true },
    );
    for (let page = 1; page <= 60; page += 1) {
      expect(await reader.read(page)).toMatchObject({ records: [{ page, state: "after" }] });
      await prove(reader, page);
    }
    expect(old).toBeGreaterThan(1);
    await reader.close();
  });

  it("is asked for in turns with each of its neighbours, the first time and the second, whatever comes first", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }), async (choices) => {
        const asked: [page: number, time: number, done: () => void][] = [];
        const told: string[] = [];
        const times = new Map<number, number>();
        const reader = createPageReader(
          async (page) => {
            const time = (times.get(page) ?? 0) + 1;
            times.set(page, time);
            told.push(`${page} asked ${time}`);
            await new Promise<void>((resolve) => asked.push([page, time, resolve]));
            return { kind: "page", records: [{ page }] };
          },
          { isAhead: true, left: (page) => 40 - page },
        );
        let isOver = false;
        const all = (async () => {
          for (let page = 1; page <= 40; page += 1) {
            await reader.read(page);
            await prove(reader, page);
          }
          isOver = true;
          await reader.close();
        })();
        for (let i = 0; !isOver || asked.length > 0; i += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          const [[page, time, done] = []] = asked.splice(
            (choices[i % choices.length] ?? 0) % Math.max(1, asked.length),
            1,
          );
          told.push(`${page} came ${time}`);
          done?.();
        }
        await all;

        for (let page = 1; page < 40; page += 1) {
          const inTurns = (one: number, other: number): boolean => {
            const order = [
              `${one} came 1`,
              `${other} asked 1`,
              `${other} came 1`,
              `${one} asked 2`,
              `${one} came 2`,
              `${other} asked 2`,
            ];
            const places = order.map((text) => told.indexOf(text));
            return !places.includes(-1) && places.every((place, at) => at === 0 || place > (places[at - 1] ?? -1));
          };
          expect([page, inTurns(page, page + 1) || inTurns(page + 1, page)]).toEqual([page, true]);
          expect(times.get(page)).toBe(2);
        }
      }),
      { seed: 20_261_122, numRuns: 30 },
    );
  });

  it("ends with the list", async () => {
    const list = listOf(20);
    const all: number[] = [];
    for (let page = 1; page <= 21; page += 1) {
      all.push(...(await list.read(page)));
      if (page < 21) all.push(...(await list.prove(page)));
    }
    all.push(...(await list.answerAll()));
    expect(all.filter((page) => page > 20).length).toBeLessThan(20);
  });

  it("is over when the reader is closed", async () => {
    const list = listOf(100);
    for (let page = 1; page <= 5; page += 1) {
      await list.read(page);
      await list.prove(page);
    }
    let isClosed = false;
    const closed = list.reader.close().then(() => {
      isClosed = true;
    });
    expect(isClosed).toBe(false);
    expect(await list.answerAll()).toEqual([]);
    await closed;
    expect(isClosed).toBe(true);
  });

  it("fails when its turn has come, not before", async () => {
    const reader = createPageReader(
      async (page) => {
        if (page === 3) throw new Error("page 3");
        return { kind: "page", records: [{ page }] };
      },
      { isAhead: true },
    );
    await reader.read(1);
    await reader.read(2);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(reader.read(3)).rejects.toThrow("page 3");
  });

  it("that fails is no failure of the page before it, whose own proof waits for it", async () => {
    const reader = createPageReader(
      async (page) => {
        if (page > 20) throw new Error(`page ${page}`);
        return { kind: "page", records: [{ page }] };
      },
      { isAhead: true },
    );
    for (let page = 1; page <= 20; page += 1) {
      expect(await reader.read(page)).toMatchObject({ records: [{ page }] });
      await prove(reader, page);
    }
    await expect(reader.read(21)).rejects.toThrow("page 21");
    await reader.close();
  });
});

describe("a scan of pages read before their turn, of a list that moves meanwhile", () => {
  for (const [name, history] of Object.entries(histories)) {
    const moving = fc.record({
      list: responses(60),
      history,
      order,
      pastEnd,
      ties: fc.constantFrom("none", "records"),
      choices: fc.array(fc.nat(60), { minLength: 1, maxLength: 50 }),
    });

    it(`cuts nothing, gives nothing twice and misses nothing that was listed all the while: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(moving, async ({ list: initial, history, order, pastEnd, ties, choices }) => {
          const list = movingList(initial, history, { order, pastEnd, ties });
          const { whole, end } = await scanAll(list, { prove: "news", read: shuffled(list, choices), isAhead: true });
          fc.pre(!list.changedAndBack());

          expect(whole.map((run) => flaw(run, list)).filter((text) => text !== undefined)).toEqual([]);
          const ids = whole.map(({ responseId }) => responseId);
          expect(new Set(ids).size).toBe(ids.length);
          const accounted = new Set([...ids, ...(end?.deferred ?? [])]);
          const stayed = initial.filter(({ id, verdict }) => verdict === "whole" && !list.passing.has(id));
          if (end?.proved) expect(stayed.filter(({ id }) => !accounted.has(id))).toEqual([]);
        }),
        { seed: 20_261_121, numRuns: 300 },
      );
    });
  }
});
