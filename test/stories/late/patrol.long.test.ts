import { describe, expect, it } from "vitest";
import { depthOf, type PollingSource } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { patrolOnly, readsOf, ticksUntil } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

// R23. Levels of 4, 8, 16 and 32 pages, each half as often as the one before.
const source = patrolOnly;
const LATE = 900_000;

/** 40 pages of responses that were all met. */
async function quietWorld(first: Partial<PollingSource> = source): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, 200).map((responseId) => ({ responseId, size: 20, completed: at((responseId - 201) * MINUTE) })),
  );
  await runTick(world, { source: first, deadline: Number.POSITIVE_INFINITY });
  world.calls.length = 0;
  world.delivered.length = 0;
  return world;
}

/** Lists a response on a page, counted from the head, without any count: one that was open and not listed till then. */
function complete(world: MemoryWorld, page: number, responseId = LATE): void {
  const { records } = surveyOf(world);
  records.splice(records.length - (page * 100 - 50), 0, ...recordsOf({ responseId, size: 2, completed: at(0) }));
}

/** Keeps news coming, one each `every` minutes, each of them counted. */
function newsEvery(world: MemoryWorld, every: number): (tick: number) => void {
  let id = 100_000;
  return (tick) => {
    if (tick % every !== 0) return;
    const survey = surveyOf(world);
    survey.records.push(...recordsOf({ responseId: id, completed: at(world.time.now - noon - 1 * SECOND) }));
    survey.counts.responses = Number(survey.counts.responses) + 1;
    id += 1;
  };
}

const isFound = (world: MemoryWorld): boolean => deliveredIds(world).includes(LATE);

describe("a completion that is late, unlisted and uncounted", () => {
  it.each([
    [3, 1],
    [7, 2],
    [15, 4],
    [30, 8],
  ])("on page %d is found by the patrol within %d h and the time of its slices", async (page, period) => {
    const world = await quietWorld();
    // Every level has had its turn once or more.
    await ticksUntil(world, () => world.time.now >= noon + 9 * HOUR, { source }, 1_000);
    complete(world, page);
    const minutes = await ticksUntil(world, () => isFound(world), { source }, 2_000);
    expect(minutes).toBeLessThanOrEqual(period * 60 + 2 * page + 30);
    expect(world.delivered.find(({ data }) => data.responseId === LATE)?.meta.origin).toBe("patrol");
  });

  it("deeper than the deepest level is left to the full pass", async () => {
    const both = { source: { ...source, patrol: { every: HOUR, full: 4 * HOUR } } };
    const world = await quietWorld(both.source);
    complete(world, 20);
    const minutes = await ticksUntil(world, () => isFound(world), both, 2_000);
    expect(minutes).toBeGreaterThanOrEqual(4 * 60 - 1);
    expect(world.delivered.at(-1)?.meta.origin).toBe("full-pass");
  });

  it("costs no more pages than its depth: the deep levels come seldom", async () => {
    const world = await quietWorld();
    await ticksUntil(world, () => world.time.now >= noon + 8 * HOUR + 90 * MINUTE, { source }, 1_000);
    world.calls.length = 0;
    await ticksUntil(world, () => world.time.now >= noon + 17 * HOUR + 30 * MINUTE, { source }, 1_000);
    const read = readsOf(world, "desc").map(({ args }) => Number(args[1]));
    expect(Math.max(...read)).toBeGreaterThanOrEqual(depthOf(3));
    expect(read.filter((page) => page > depthOf(2)).length).toBeLessThanOrEqual(2 * 32);
    // Eight rounds of each of the first four pages at most, and half as many of each four that are twice as deep.
    expect(read.length).toBeLessThanOrEqual(8 * 6 + 4 * 12 + 2 * 24 + 1 * 48);
  });
});

describe("a level of the patrol in slices", () => {
  it("goes on where it stopped, across ticks, though news come in between at the head", async () => {
    const world = await quietWorld();
    const place = (): number | undefined => world.mark(1).patrol?.rounds[3]?.page;
    await ticksUntil(world, () => place() !== undefined, { source }, 1_000);
    complete(world, 29);
    complete(world, 27, LATE + 1);
    const news = newsEvery(world, 3);
    const pages: number[] = [];
    const between = (tick: number): void => {
      news(tick);
      const page = place();
      if (page !== undefined && page !== pages.at(-1)) pages.push(page);
    };
    await ticksUntil(world, () => isFound(world), { source, between }, 300);
    expect(deliveredIds(world)).toContain(LATE + 1);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages).toEqual(pages.toSorted((a, b) => a - b));
  });
});
