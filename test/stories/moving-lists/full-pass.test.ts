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
});
