import { describe, expect, it } from "vitest";
import { Failure, failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

/** A tick a minute, until `done`; gives how many it took. */
async function ticksUntil(world: MemoryWorld, done: () => boolean, most: number): Promise<number> {
  for (let count = 1; count <= most; count += 1) {
    await runTick(world);
    world.time.now += MINUTE;
    if (done()) return count;
  }
  throw new Error(`not done after ${most} ticks`);
}

async function minutes(world: MemoryWorld, count: number): Promise<void> {
  const end = world.time.now + count * MINUTE;
  await ticksUntil(world, () => world.time.now >= end, count);
}

const completed = (ids: number[]) => ids.map((responseId) => ({ responseId, completed: at(responseId - HOUR) }));

/** Their metrics are never had. */
function breakFor(world: MemoryWorld, isBroken: (responseId: number) => boolean): void {
  world.before.push((call) => {
    if (call.operation === "metrics" && isBroken(Number(call.args[1]))) throw new Failure("no answer");
  });
}

const written = (world: MemoryWorld): unknown[] =>
  world.calls.flatMap(({ operation, args }) => (operation === "putEntries" ? (args[1] as unknown[]) : []));

describe("an outage that some broken responses only seem to be, since nothing was ever answered, is over", () => {
  it("in whichever survey that is, also when all have been asked for already", async () => {
    const world = worldWith([]);
    for (const surveyId of range(2, 9))
      addSurvey(world, surveyId, completed(range(surveyId * 100, surveyId * 100 + 4)));
    addSurvey(world, 10, completed([1_000]));
    let works = false;
    breakFor(world, (id) => id < 1_000 || !works);
    await minutes(world, 60);
    expect((await runTick(world)).outages).toEqual(["metrics"]);

    works = true;
    await ticksUntil(world, () => deliveredIds(world).includes(1_000), 45);
  });

  it("with the first new one that is answered, and the broken ones are given up then", async () => {
    const world = worldWith(completed(range(1, 100)));
    breakFor(world, (id) => id <= 100);
    await minutes(world, 30);
    expect(deliveredIds(world)).toEqual([]);

    arrive(world, { responseId: 101, completed: at(30 * MINUTE) });
    await minutes(world, 1);
    expect(deliveredIds(world)).toEqual([101]);
    await minutes(world, 45);
    expect(deliveredIds(world)).toHaveLength(101);
  });
});

it("an outage seen because the response that was answered last has gone ends with any other answer", async () => {
  const world = worldWith(completed([1]));
  await runTick(world);
  breakFor(world, (id) => id <= 4);
  for (const { responseId, completed: date } of completed([2, 3, 4])) arrive(world, { responseId, completed: date });
  await minutes(world, 30);
  expect((await runTick(world)).outages).toEqual(["metrics"]);

  arrive(world, { responseId: 5, completed: at(31 * MINUTE) });
  await minutes(world, 30);

  expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4, 5]);
  expect((await runTick(world)).outages).toEqual([]);
});

// R17
describe("during an outage a response that is not asked for", () => {
  it("makes no attempt by that, and stays due", async () => {
    const world = worldWith(completed(range(1, 60)));
    failing(world, "metrics");
    await runTick(world);

    const spared = world.entries(1).filter(({ reason }) => reason === "metrics:OUTAGE");
    expect(spared.length).toBeGreaterThan(0);
    for (const entry of spared) expect(entry).toMatchObject({ attempts: 0, nextCheck: world.time.now });
  });

  it("is not written again at every tick", async () => {
    const world = worldWith(completed(range(1, 60)));
    failing(world, "metrics");
    await minutes(world, 5);
    world.calls.length = 0;
    await minutes(world, 10);
    expect(written(world).length).toBe(timesCalled(world, "service", "metrics"));
    expect(written(world).length).toBeGreaterThan(0);
  });

  it("has its turn within as many ticks as there are others, whatever its survey", async () => {
    const world = worldWith(completed(range(1, 40)));
    for (const surveyId of [2, 3])
      addSurvey(world, surveyId, completed(range(surveyId * 1_000, surveyId * 1_000 + 20)));
    failing(world, "metrics");
    await runTick(world);
    world.time.now += MINUTE;
    await minutes(world, 100);
    const reasons = [1, 2, 3].flatMap((surveyId) => world.entries(surveyId).map(({ reason }) => reason));
    expect(reasons).toEqual(Array(82).fill("metrics:SERVER_ERROR"));
  });

  it("still gets what else it waits for", async () => {
    const world = worldWith(completed(range(1, 60)));
    const mend = failing(world, "metadata");
    failing(world, "metrics");
    await minutes(world, 5);
    mend();
    await minutes(world, 10);
    for (const { reason } of world.entries(1)) expect(reason).not.toContain("metadata");
  });
});

it("no more than three requests a tick look whether an outage is over, also while news arrive", async () => {
  const world = worldWith(completed(range(1, 50)));
  await runTick(world);
  failing(world, "metrics");
  for (let tick = 0; tick < 30; tick += 1) {
    for (const k of range(0, 9)) arrive(world, { responseId: 100 + 10 * tick + k, completed: at(tick * MINUTE) });
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world);
    // The first one has yet to see that there is an outage.
    if (tick > 0) expect(timesCalled(world, "service", "metrics")).toBeLessThanOrEqual(3);
  }
});
