import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
/** Full polls, the patrol and full passes are left out: what is read is read for what a count has shown. */
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };

/** A survey of `pages` full pages, ten responses each, that a first tick has emitted. */
async function settledPages(pages: number): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, pages * 10).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  world.delivered.length = 0;
  return world;
}

const grow = (world: MemoryWorld): void => {
  surveyOf(world).counts.responses = Number(surveyOf(world).counts.responses) + 1;
};

/** Pages read by each of so many ticks, a minute apart. */
async function ticks(world: MemoryWorld, count: number, more = {}): Promise<number[]> {
  const pages: number[] = [];
  for (let i = 0; i < count; i += 1) {
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world, { source: { ...source, ...more } });
    pages.push(pagesRead(world).length);
  }
  return pages;
}

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

// R21
describe("a count that moved while nothing was found", () => {
  it("keeps the survey due for two more ticks, at the price of its head page, and is then looked for below", async () => {
    const world = await settledPages(30);
    grow(world);
    // The head at once and twice more; then all pages, once, and the head twice more: lists may lag behind counts.
    expect(await ticks(world, 8)).toEqual([1, 1, 1, 32, 1, 1, 0, 0]);
  });

  it("is looked for below the head, and found", async () => {
    const world = await settledPages(30);
    // Page 12 of desc, where no head walk looks.
    surveyOf(world).records.splice(1_850, 0, ...recordsOf({ responseId: 999, completed: at(-HOUR) }));
    grow(world);

    const pages = await ticks(world, 60);

    expect(deliveredIds(world)).toEqual([999]);
    // As far as the page on which it stands.
    expect(sum(pages)).toBeLessThanOrEqual(3 + 15);
    expect(await ticks(world, 20)).toEqual(range(1, 20).map(() => 0));
  });

  it("again is looked for below the head at once where the last one was found there", async () => {
    const world = await settledPages(30);
    const late = (responseId: number, place: number): void => {
      surveyOf(world).records.splice(place, 0, ...recordsOf({ responseId, completed: at(-HOUR) }));
      grow(world);
    };
    late(998, 2_750);
    await ticks(world, 30);
    late(999, 2_850);
    await ticks(world, 4);
    expect(deliveredIds(world)).toEqual([998, 999]);
  });

  it("and is not there is looked for to the end once, and given up", async () => {
    const world = await settledPages(5);
    grow(world);

    const pages = await ticks(world, 200);

    expect(sum(pages)).toBeGreaterThanOrEqual(5 + 5);
    expect(pages.slice(10).every((count) => count === 0)).toBe(true);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("again and again goes to the end at most once an hour", async () => {
    const world = await settledPages(5);
    const ends: number[] = [];
    for (let minute = 0; minute < 300; minute += 1) {
      if (minute % 10 === 0) grow(world);
      await ticks(world, 1);
      if (pagesRead(world).includes("desc/5")) ends.push(minute);
    }
    expect(ends.length).toBeGreaterThanOrEqual(2);
    const gaps = ends.slice(1).flatMap((minute, i) => (minute - (ends[i] ?? 0) > 5 ? [minute - (ends[i] ?? 0)] : []));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(55);
  });

  it("is settled by what is found late at the head, in that tick", async () => {
    const world = await settledPages(3);
    grow(world);
    await ticks(world, 2);
    surveyOf(world).records.push(...recordsOf({ responseId: 999, completed: at(HOUR) }));

    await ticks(world, 1);

    expect(deliveredIds(world)).toEqual([999]);
    expect(await ticks(world, 10)).toEqual(range(1, 10).map(() => 0));
  });
});

describe("a response that was met before any list had shown it", () => {
  /** Page reads of the ticks after one in which a response came in so many seconds after the list, and before its survey was polled. */
  async function readsAfter(seconds: number): Promise<number[]> {
    const world = await settledPages(10);
    world.time.now += MINUTE;
    let due = true;
    world.before.push(({ operation }) => {
      if (operation !== "acquire" || !due) return;
      due = false;
      world.time.now += seconds * SECOND;
      arrive(world, { responseId: 1_001, completed: at(HOUR), size: 10 });
    });
    arrive(world, { responseId: 1_000, completed: at(HOUR), size: 10 });
    await runTick(world, { source, deadline: world.time.now + 5 * MINUTE });
    expect(deliveredIds(world)).toEqual([1_000, 1_001]);
    return ticks(world, 8);
  }

  it("as its survey was polled long after the list, is not looked for when one does", async () => {
    expect(await readsAfter(60)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it.each([
    [1, "at each tick"],
    [0, "never shown by any list"],
  ])("does not hide one that is missing (%i: %s)", async (shown) => {
    const world = await settledPages(30);
    let next = 1_000;
    let due = false;
    world.before.push(({ operation }) => {
      if (operation !== "page" || !due) return;
      due = false;
      arrive(world, { responseId: next, completed: at(HOUR), size: 10 });
      next += 1;
    });
    const tick = async (isShown: boolean): Promise<void> => {
      world.time.now += MINUTE;
      due = isShown;
      await runTick(world, { source });
    };
    grow(world);
    surveyOf(world).records.push(...recordsOf({ responseId: 900, completed: at(HOUR), size: 10 }));
    if (shown === 0) surveyOf(world).records.push(...recordsOf({ responseId: 901, completed: at(HOUR), size: 10 }));
    for (let i = 0; i < 1 + 4 * shown; i += 1) await tick(shown > 0);
    surveyOf(world).records.splice(1_850, 0, ...recordsOf({ responseId: 999, completed: at(-HOUR) }));
    grow(world);
    for (let i = 0; i < 60; i += 1) await tick(shown > 0);
    expect(deliveredIds(world)).toContain(999);
  });
});

it("a search with a large budget ends with the time of its tick, and goes on in the next one", async () => {
  const world = await settledPages(200);
  grow(world);
  world.before.push(({ operation }) => {
    if (operation === "page") world.time.now += SECOND;
  });
  const pages = await ticks(world, 60, { backgroundRequests: 1_000 });

  expect(Math.max(...pages)).toBeGreaterThan(10);
  // A tick of these tests has 40 s, and each page takes one.
  expect(Math.max(...pages)).toBeLessThanOrEqual(43);
  expect(sum(pages)).toBeGreaterThanOrEqual(200);
});
