import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly, remove, truthOf } from "../../support/slow.ts";
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

const source = fullPassesOnly;

const COUNT = 500;

/** Responses of 3 records: 15 pages, that one full pass has read. */
async function settledWorld(count = COUNT): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, count).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * 1_000), size: 3 })),
  );
  await runTick(world, { source });
  await fullPass(world);
  return world;
}

/** The first page of which not everything is dealt with when the first slice of a full pass has ended. */
const PLACE = 5;
/** Records before the beginning of that page. */
const BEFORE = (PLACE - 1) * 100;

/** Makes a full pass, and changes the list between the first slice of the pass and the second one. */
async function passAnd(world: MemoryWorld, change: () => void): Promise<void> {
  let place: number | undefined;
  await fullPass(world, {
    source,
    between: () => {
      if (place !== undefined || world.mark(1).pass === undefined) return;
      place = world.mark(1).pass?.page;
      change();
    },
  });
  expect(place).toBe(PLACE);
}

/** Lists a response that no other walk will meet: the counts do not show it. */
function insert(world: MemoryWorld, index: number, responseId: number, size = 3): void {
  surveyOf(world).records.splice(index, 0, ...recordsOf({ responseId, completed: at(MINUTE), size }));
}

const timesOut = (world: MemoryWorld, id: number): number => deliveredIds(world).filter((one) => one === id).length;

// R7, R29
describe("a list that changes between two slices", () => {
  it("by a little before the place keeps its books right: each was listed when its page was read", async () => {
    const world = await settledWorld();
    await passAnd(world, () => remove(world, [5]));
    expect(closedBooks(world)).toMatchObject({ gone: 0, listed: COUNT, emitted: COUNT });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: COUNT - 1, gone: 1, moved: false });
  });

  it.each([1, 34, 40, 75, 100, 133])(
    "by the deletion of %i responses before the place passes nothing by: it goes back to where it stands on ground",
    async (count) => {
      const world = await settledWorld();
      // A little behind the place, by as much as the pages move.
      insert(world, BEFORE + 165, 9_000);
      await passAnd(world, () => remove(world, range(1, count)));
      expect(timesOut(world, 9_000)).toBe(1);
      // Each stood on a page that was read before it went, or is listed now.
      expect(closedBooks(world)).toMatchObject({ listed: COUNT + 1, emitted: COUNT + 1, found: 1, gone: 0 });
      await fullPass(world);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: COUNT + 1 - count, gone: count, found: 0 });
    },
  );

  it("by as much where a new response stands across the end of the page that is read again passes nothing by either", async () => {
    const world = await settledWorld();
    insert(world, BEFORE + 120, 9_001);
    insert(world, BEFORE + 117, 9_000, 4);
    await passAnd(world, () => remove(world, range(1, 40)));
    expect([timesOut(world, 9_000), timesOut(world, 9_001)]).toEqual([1, 1]);
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([3, 4]));
    expect(closedBooks(world)).toMatchObject({ listed: COUNT + 2, found: 2, gone: 0 });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: COUNT - 38, found: 0, gone: 40 });
  });

  it("to less than half of the pages before a response across an edge, which goes to the end, loses none", async () => {
    const world = await settledWorld();
    insert(world, BEFORE + 117, 9_001);
    // Across the end of the page at which the slice ends.
    insert(world, BEFORE + 99, 9_000, 4);
    await passAnd(world, () => {
      // All that were read before; and the one across the edge is saved once more, in a list that is sorted by that.
      remove(world, [...range(1, 290), 9_000]);
      surveyOf(world).records.push(...recordsOf({ responseId: 9_000, completed: at(MINUTE), size: 4 }));
    });
    await fullPass(world);
    expect([timesOut(world, 9_000), timesOut(world, 9_001)]).toEqual([1, 1]);
    expect(closedBooks(world)).toMatchObject(truthOf(world));
  });

  it("by arrivals before the place has none of them twice in its books, and the next full pass has all", async () => {
    const world = await settledWorld();
    await passAnd(world, () => {
      for (const id of range(9_000, 9_049)) insert(world, 30, id);
    });
    expect(closedBooks(world)).toMatchObject({ listed: COUNT, emitted: COUNT });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({
      ...truthOf(world),
      listed: COUNT + 50,
      emitted: COUNT + 50,
      moved: false,
    });
    expect(deliveredIds(world)).toHaveLength(COUNT + 50);
    expect(new Set(deliveredIds(world)).size).toBe(COUNT + 50);
  });

  it("by arrivals behind the place has them in its books at once", async () => {
    const world = await settledWorld();
    await passAnd(world, () => {
      for (const id of range(9_000, 9_049)) insert(world, BEFORE + 411, id);
    });
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: COUNT + 50, emitted: COUNT + 50, found: 50 });
  });

  it("by as much as went and came is no proof of what came before the place: two passes are", async () => {
    const world = await settledWorld();
    await passAnd(world, () => {
      remove(world, [20]);
      insert(world, 57, 9_000);
    });
    // Nothing moved that the pass could see: its books are those of what it has read.
    expect(closedBooks(world)).toMatchObject({ listed: COUNT, emitted: COUNT, found: 0 });
    expect(timesOut(world, 9_000)).toBe(0);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: COUNT, found: 1, gone: 1 });
    expect(timesOut(world, 9_000)).toBe(1);
  });

  it("by losing everything behind the place ends there, and counts what went as what it was", async () => {
    const world = await settledWorld();
    await passAnd(world, () => remove(world, range(301, COUNT)));
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 300, gone: 200 });
    expect(deliveredIds(world)).toHaveLength(COUNT);
  });

  it("at every slice has all of it once it holds still, each once", async () => {
    const world = await settledWorld();
    let next = 9_000;
    const restless = (): void => {
      insert(world, 12, next);
      remove(world, [next - 8_999]);
      insert(world, 60, next + 1);
      next += 2;
    };
    await fullPass(world, { source, between: restless });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject(truthOf(world));
    const ids = deliveredIds(world);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = new Set(surveyOf(world).records.map((record) => (record as { responseId: number }).responseId));
    expect([...listed].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("a list that is read as empty", () => {
  it("once by mistake closes nothing, and changes nothing that was proved", async () => {
    const world = await settledWorld(200);
    const before = closedBooks(world);
    const { records } = surveyOf(world);
    surveyOf(world).records = [];
    await fullPass(world);
    expect(world.mark(1)).toMatchObject({ booksOpen: { code: "read-as-empty" }, books: before });
    surveyOf(world).records = records;
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200, gone: 0 });
  });

  it("and stays so is believed at the third pass: then all are gone", async () => {
    const world = await settledWorld(200);
    surveyOf(world).records = [];
    for (const _ of [1, 2]) {
      await fullPass(world);
      expect(world.mark(1).booksOpen).toEqual({ code: "read-as-empty" });
    }
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 0, emitted: 0, gone: 200, deficit: 200 });
  });

  it("begins to be believed anew once there was something in between", async () => {
    const world = await settledWorld(200);
    const { records } = surveyOf(world);
    for (const list of [[], [], records, [], []]) {
      surveyOf(world).records = list;
      await fullPass(world);
    }
    expect(world.mark(1).booksOpen).toEqual({ code: "read-as-empty" });
  });

  it("is at once right where there never was a response", async () => {
    const world = worldWith([]);
    await runTick(world, { source });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 0, gone: 0, deficit: 0 });
  });
});

describe("a part of the list that no page number reaches", () => {
  it("is told of when the asc end does not hold what the head shows", async () => {
    const world = await settledWorld(200);
    const { service } = world.ports;
    const { page } = service;
    // As a service that answers no page beyond the fourth.
    service.page = async (surveyId, number, order) =>
      order === "asc" && number > 4 ? { kind: "none" } : page(surveyId, number, order);
    await fullPass(world);
    expect(world.mark(1).booksOpen).toEqual({ code: "range-unreachable" });
    service.page = page;
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200 });
  });

  it("keeps the books of the very first walk open as well", async () => {
    const world = worldWith(
      range(1, 200).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * 1_000), size: 3 })),
    );
    const { service } = world.ports;
    const { page } = service;
    service.page = async (surveyId, number, order) =>
      order === "asc" && number > 4 ? { kind: "none" } : page(surveyId, number, order);
    // It is tried again for ten polls, and then comes to its end without what it cannot reach.
    for (const _ of range(1, 11)) {
      await runTick(world, { source });
      world.time.now += MINUTE;
    }
    expect(world.mark(1).books).toBeUndefined();
    expect(world.mark(1).booksOpen).toEqual({ code: "range-unreachable" });
  });
});
