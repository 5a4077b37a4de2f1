import { describe, expect, it } from "vitest";
import { AwsFailure } from "../../../lib/aws/failure.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { newsOnly } from "../../support/slow.ts";
import {
  at,
  complete,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

const source = newsOnly;

/** A survey of `pages` full pages, ten responses each, that a first tick has emitted. */
async function settledPages(pages: number): Promise<MemoryWorld> {
  const world = worldWith(complete(1, pages * 10, 10));
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
    await ticks(world, 2);
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

/** A count moves, for a response that completes late on this page of desc; for none without a page. */
function completeLate(world: MemoryWorld, responseId: number, page?: number): void {
  const survey = surveyOf(world);
  const records = recordsOf({ responseId, completed: at(-HOUR), size: 10 });
  if (page !== undefined) survey.records.splice(survey.records.length - page * 100 + 50, 0, ...records);
  survey.counts.responses = Number(survey.counts.responses) + 1;
}

/** Ticks, a minute apart, until this response has gone out; gives how many. */
async function ticksTo(world: MemoryWorld, responseId: number, most = 200): Promise<number> {
  for (const count of range(1, most)) {
    world.time.now += MINUTE;
    await runTick(world, { source });
    if (deliveredIds(world).includes(responseId)) return count;
  }
  return Number.POSITIVE_INFINITY;
}

it("what a count has shown is not used up by the search for another, which has read that page already and ends in vain", async () => {
  const world = await settledPages(120);
  // A search has 15 s of a tick, so it takes nine of them. In vain it rests for an hour.
  takes(world, SECOND, ({ operation }) => operation === "page");
  completeLate(world, 9_001);
  while ((world.mark(1).search?.page ?? 0) < 20) await ticksTo(world, 9_001, 1);
  completeLate(world, 9_002, 5);
  expect(await ticksTo(world, 9_002)).toBeLessThanOrEqual(75);
});

it("nor by the search after a poll that has found what was missing, and failed then as the table was throttled", async () => {
  const world = await settledPages(30);
  completeLate(world, 998, 12);
  let isThrottled = true;
  world.before.push(({ operation }) => {
    if (!isThrottled || operation !== "nextDue" || !deliveredIds(world).includes(998)) return;
    isThrottled = false;
    throw new AwsFailure("dynamodb", Object.assign(new Error(), { name: "ThrottlingException" }));
  });
  await ticksTo(world, 998);
  await ticksTo(world, 999, 3);
  completeLate(world, 999, 14);
  expect(await ticksTo(world, 999)).toBeLessThanOrEqual(4);
});
