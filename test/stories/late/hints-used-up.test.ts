import { expect, it } from "vitest";
import { AwsFailure } from "../../../lib/aws/failure.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

// R21: a hint of the counts is used up only by what it was for.

const never = 10_000 * HOUR;
/** Full polls, the patrol and full passes are left out: what is read is read for what a count has shown. */
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };

async function settledPages(pages: number): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, pages * 10).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  world.delivered.length = 0;
  return world;
}

const throttled = () => new AwsFailure("dynamodb", Object.assign(new Error(), { name: "ThrottlingException" }));

/** A count moves, for a response that completes late on this page of desc; for none without a page. */
function late(world: MemoryWorld, responseId: number, page?: number): void {
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

it("not by the search for another, which has read that page already and ends in vain", async () => {
  const world = await settledPages(120);
  // A search has 15 s of a tick, so it takes nine of them. In vain it rests for an hour.
  takes(world, SECOND, ({ operation }) => operation === "page");
  late(world, 9_001);
  while ((world.mark(1).search?.page ?? 0) < 20) await ticksTo(world, 9_001, 1);
  late(world, 9_002, 5);
  expect(await ticksTo(world, 9_002)).toBeLessThanOrEqual(75);
});

it("not by the search after a poll that has found what was missing, and failed then as the table was throttled", async () => {
  const world = await settledPages(30);
  late(world, 998, 12);
  let isThrottled = true;
  world.before.push(({ operation }) => {
    if (!isThrottled || operation !== "nextDue" || !deliveredIds(world).includes(998)) return;
    isThrottled = false;
    throw throttled();
  });
  await ticksTo(world, 998);
  await ticksTo(world, 999, 3);
  late(world, 999, 14);
  expect(await ticksTo(world, 999)).toBeLessThanOrEqual(4);
});

it("not by a search that fails on its way again and again: each goes on where the one before has failed", async () => {
  const world = await settledPages(60);
  late(world, 999, 50);
  let reads = 0;
  world.before.push(({ operation }) => {
    if (operation !== "entries") return;
    reads += 1;
    if (reads % 10 === 0) throw throttled();
  });
  expect(await ticksTo(world, 999)).toBeLessThanOrEqual(15);
});
