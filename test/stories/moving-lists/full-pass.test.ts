import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, readsOf, remove, scrub, scrubsOnly, truthOf } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = scrubsOnly;

/** 200 responses of 3 records: six pages, that one scrub has read. */
async function settledWorld(): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, 200).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * 1_000), size: 3 })),
  );
  await runTick(world, { source });
  await scrub(world);
  return world;
}

/** Scrubs, and changes the list once the pass has dealt with `page`. */
async function scrubAnd(world: MemoryWorld, page: number, change: () => void): Promise<void> {
  let changed = false;
  await scrub(world, {
    source,
    between: () => {
      if (changed || (world.mark(1).pass?.page ?? 0) < page) return;
      changed = true;
      change();
    },
  });
  expect(changed).toBe(true);
}

/** Lists a response that no other scan will meet: the counts do not show it. */
function insert(world: MemoryWorld, index: number, responseId: number): void {
  surveyOf(world).records.splice(index, 0, ...recordsOf({ responseId, completed: at(MINUTE), size: 3 }));
}

describe("a list that changes between two slices", () => {
  it("by less than the part behind the position keeps its books right, and the books say that it moved", async () => {
    const world = await settledWorld();
    // They go from page 1 while page 3 was read last: what stood behind it moves up, by two records only.
    await scrubAnd(world, 3, () => remove(world, [5]));
    const { booksOpen, books } = world.mark(1);
    if (booksOpen === undefined) expect(books).toMatchObject({ moved: true, gone: 0, listed: 200, emitted: 200 });
    else expect(booksOpen).toBe("pages moved while they were read");
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 199, gone: 1, moved: false });
  });

  it("by the deletion of more than a page before the position reads the page before it again: nothing was passed by", async () => {
    const world = await settledWorld();
    insert(world, 405, 900);
    // 120 records go from before the position at page 4: the first ones of page 5 stand on page 3 now.
    await scrubAnd(world, 4, () => remove(world, range(1, 40)));

    expect(deliveredIds(world).filter((id) => id === 900)).toEqual([900]);
    expect(closedBooks(world)).toMatchObject({ moved: true, listed: 201, emitted: 201, found: 1, gone: 0 });
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 161, gone: 40, found: 0 });
  });

  it("by the deletion of more than two pages before the position is not said to be covered", async () => {
    const world = await settledWorld();
    insert(world, 405, 900);
    // 225 records go from before the position at page 4: the first ones of page 5 stand on page 2 now.
    await scrubAnd(world, 4, () => remove(world, range(1, 75)));

    expect(deliveredIds(world)).not.toContain(900);
    expect(world.mark(1).booksOpen).toBe("pages moved while they were read");
    await scrub(world);
    expect(deliveredIds(world).filter((id) => id === 900)).toEqual([900]);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 126, gone: 75, found: 1 });
  });

  it("by as much where a new response stands across the end of the page that is read again is not covered either", async () => {
    const world = await settledWorld();
    const { records } = surveyOf(world);
    records.splice(300, 0, ...recordsOf({ responseId: 901, completed: at(MINUTE), size: 3 }));
    records.splice(297, 0, ...recordsOf({ responseId: 900, completed: at(MINUTE), size: 4 }));
    await scrubAnd(world, 3, () => remove(world, range(1, 40)));
    expect(deliveredIds(world)).not.toContain(901);
    expect(world.mark(1).booksOpen).toBe("pages moved while they were read");
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 162, found: 2, gone: 40 });
  });

  it.each([1, 34, 40, 100, 133])(
    "by the deletion of %i responses before the position: closed books show no more and no less than was listed",
    async (count) => {
      const world = await settledWorld();
      insert(world, 465, 900);
      await scrubAnd(world, 4, () => remove(world, range(1, count)));
      const { booksOpen, books } = world.mark(1);
      if (booksOpen !== undefined) {
        expect(booksOpen).toBe("pages moved while they were read");
        return;
      }
      // Each stood on a page that was read before it went, or is listed now.
      expect(books).toMatchObject({ moved: true, listed: 201, emitted: 201, gone: 0 });
      expect(deliveredIds(world)).toContain(900);
    },
  );

  it("to less than half of the pages before a cut one, which goes to the end, is not said to be covered", async () => {
    const world = worldWith(
      range(1, 470).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * 1_000), size: 3 })),
    );
    await runTick(world, { source });
    await scrub(world);
    const survey = surveyOf(world);
    // Met by nothing else: across the end of page 8, and a little behind it.
    survey.records.splice(813, 0, ...recordsOf({ responseId: 901, completed: at(MINUTE), size: 3 }));
    survey.records.splice(798, 0, ...recordsOf({ responseId: 900, completed: at(MINUTE), size: 4 }));
    let hasChanged = false;
    await scrub(world, {
      source,
      between: () => {
        if (hasChanged || world.mark(1).pass?.page !== 8) return;
        hasChanged = true;
        // All that were read before; and the one across the edge is saved once more, in a list that is sorted by that.
        remove(world, [...range(1, 250), 900]);
        survey.records.push(...recordsOf({ responseId: 900, completed: at(MINUTE), size: 4 }));
      },
    });
    expect(hasChanged).toBe(true);
    expect(world.mark(1).booksOpen).toBe("pages moved while they were read");
    await scrub(world);
    expect(deliveredIds(world)).toEqual(expect.arrayContaining([900, 901]));
    expect(closedBooks(world)).toMatchObject(truthOf(world));
  });

  it("by arrivals before the position has none of them twice in its books, and the next scrub has all", async () => {
    const world = await settledWorld();
    await scrubAnd(world, 3, () => {
      for (const id of range(900, 949)) insert(world, 30, id);
    });
    const { booksOpen, books } = world.mark(1);
    if (booksOpen === undefined) expect(books).toMatchObject({ listed: 200, emitted: 200, moved: true });
    else expect(booksOpen).toBe("pages moved while they were read");
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 250, emitted: 250, moved: false });
    expect(deliveredIds(world)).toHaveLength(250);
    expect(new Set(deliveredIds(world)).size).toBe(250);
  });

  it("by arrivals behind the position has them in its books at once", async () => {
    const world = await settledWorld();
    await scrubAnd(world, 3, () => {
      for (const id of range(900, 949)) insert(world, 510, id);
    });
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 250, emitted: 250, found: 50 });
  });

  it("by as much as went and came is no proof of what came before the position: two passes are", async () => {
    const world = await settledWorld();
    await scrubAnd(world, 3, () => {
      remove(world, [20]);
      insert(world, 57, 900);
    });
    // Nothing moved that the pass could see: its books are those of what it has read.
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200, found: 0 });
    expect(deliveredIds(world)).not.toContain(900);
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 200, found: 1, gone: 1 });
    expect(deliveredIds(world).filter((id) => id === 900)).toHaveLength(1);
  });

  it("by losing everything behind the position ends there, and counts what went as what it was", async () => {
    const world = await settledWorld();
    await scrubAnd(world, 4, () => remove(world, range(101, 200)));
    expect(surveyOf(world).records).toHaveLength(300);
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 100, gone: 100 });
    expect(deliveredIds(world)).toHaveLength(200);
  });

  it("at every slice is scrubbed again sooner until it holds still, and nothing is lost", async () => {
    const world = await settledWorld();
    let next = 900;
    const restless = (): void => {
      insert(world, 12, next);
      remove(world, [next - 899]);
      insert(world, 60, next + 1);
      next += 2;
    };
    await scrub(world, { source, between: restless });
    await scrub(world);
    expect(closedBooks(world)).toMatchObject(truthOf(world));
    const ids = deliveredIds(world);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = new Set(surveyOf(world).records.map((record) => (record as { responseId: number }).responseId));
    expect([...listed].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("a list that is read as empty", () => {
  it("once by mistake closes nothing, and changes nothing that was proved", async () => {
    const world = await settledWorld();
    const before = closedBooks(world);
    const { records } = surveyOf(world);
    surveyOf(world).records = [];
    await scrub(world);
    expect(world.mark(1)).toMatchObject({ booksOpen: "the list was read as empty", books: before });
    surveyOf(world).records = records;
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200, gone: 0 });
  });

  it("and stays so is believed at the third pass: then all are gone", async () => {
    const world = await settledWorld();
    surveyOf(world).records = [];
    for (const _ of [1, 2]) {
      await scrub(world);
      expect(world.mark(1).booksOpen).toBe("the list was read as empty");
    }
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ listed: 0, emitted: 0, gone: 200, deficit: 200 });
  });

  it("begins to be believed anew once there was something in between", async () => {
    const world = await settledWorld();
    const { records } = surveyOf(world);
    for (const list of [[], [], records, [], []]) {
      surveyOf(world).records = list;
      await scrub(world);
    }
    expect(world.mark(1).booksOpen).toBe("the list was read as empty");
  });

  it("is at once right where there never was a response", async () => {
    const world = worldWith([]);
    await runTick(world, { source });
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ listed: 0, gone: 0, deficit: 0 });
  });
});

describe("a part of the list that no page number reaches", () => {
  it("is told of when the asc end does not hold what the head shows", async () => {
    const world = await settledWorld();
    const { service } = world.ports;
    const { page } = service;
    // As a service that answers no page beyond the fourth.
    service.page = async (surveyId, number, order) =>
      order === "asc" && number > 4 ? { kind: "none", status: 404 } : page(surveyId, number, order);
    await scrub(world);
    expect(world.mark(1).booksOpen).toBe("range unreachable");
    service.page = page;
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200 });
  });

  it("is not looked for in a list of less than one page", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);
    await runTick(world, { source });
    world.calls.length = 0;
    await scrub(world);
    expect(readsOf(world, "desc")).toEqual([]);
    expect(closedBooks(world)).toMatchObject({ listed: 1 });
  });
});
