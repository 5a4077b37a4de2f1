import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import {
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
} from "../support/survey.ts";

/** A survey of `pages` full pages, ten responses each, that a first tick has emitted. */
async function settledPages(pages: number): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, pages * 10).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world);
  world.delivered.length = 0;
  return world;
}

const grow = (world: MemoryWorld): void => {
  surveyOf(world).counts.responses = Number(surveyOf(world).counts.responses) + 1;
};

/** Pages read by each of so many ticks, a minute apart. The full polls of every 15 minutes are left out. */
async function ticks(world: MemoryWorld, count: number): Promise<number[]> {
  const pages: number[] = [];
  for (let i = 0; i < count; i += 1) {
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world, { source: { fullPoll: { every: 1_000 * HOUR } } });
    pages.push(pagesRead(world).length);
  }
  return pages;
}

describe("a count that moved while nothing was found", () => {
  it("keeps the survey due for five more ticks, at the price of its head page", async () => {
    const world = await settledPages(30);
    grow(world);
    expect((await ticks(world, 6)).slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("is then looked for deeper, doubling, no faster than the background budget, and found", async () => {
    const world = await settledPages(30);
    // Page 12 of desc, where no head scan looks.
    surveyOf(world).records.splice(1_850, 0, ...recordsOf({ responseId: 999, completed: at(-HOUR) }));
    grow(world);

    const pages = await ticks(world, 60);

    expect(deliveredIds(world)).toEqual([999]);
    const deeper = pages.filter((count) => count > 1);
    expect(deeper.slice(0, 3)).toEqual([2, 4, 8]);
    // One request a tick is the budget; the head pages owed and one step of the doubling come on top.
    expect(pages.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(60 + 6 + 32);
    expect((await ticks(world, 20)).every((count) => count === 0)).toBe(true);
  });

  it("and is not there is looked for to the end once, and given up", async () => {
    const world = await settledPages(5);
    grow(world);

    const pages = await ticks(world, 200);

    expect(Math.max(...pages)).toBeGreaterThanOrEqual(5);
    expect(pages.slice(60).every((count) => count === 0)).toBe(true);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("again and again goes to the end at most once an hour", async () => {
    const world = await settledPages(5);
    const ends: number[] = [];
    for (let minute = 0; minute < 300; minute += 1) {
      if (minute % 10 === 0) grow(world);
      const [pages = 0] = await ticks(world, 1);
      if (pages >= 5) ends.push(minute);
    }
    expect(ends.length).toBeGreaterThanOrEqual(2);
    const gaps = ends.slice(1).map((minute, i) => minute - (ends[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60);
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

it("a scan that goes deep ends with the time of its tick", async () => {
  const world = await settledPages(200);
  grow(world);
  world.before.push(({ operation }) => {
    if (operation === "page") world.time.now += SECOND;
  });
  const pages: number[] = [];
  for (let i = 0; i < 600; i += 1) pages.push(...(await ticks(world, 1)));

  expect(Math.max(...pages)).toBeGreaterThan(10);
  // A tick of these tests has 40 s, and each page takes one.
  expect(Math.max(...pages)).toBeLessThanOrEqual(42);
});
