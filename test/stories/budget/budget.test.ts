import { describe, expect, it } from "vitest";
import { type PollingSource, placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { fullPassesOnly, readsOf } from "../../support/slow.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  pagesRead,
  type ResponseSpec,
  range,
  runTick,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

/** A source that always has a full pass to do, and nothing else that is slow. */
const busy = (backgroundRequests: number): Partial<PollingSource> => ({
  ...fullPassesOnly,
  patrol: { every: 10_000 * HOUR, full: 1 },
  backgroundRequests,
});

/** Requests of one slice of a pass, at most: eight pages beyond its place, two to find that, each of them read twice, and the end. */
const SLICE = 22;

/** A survey of 12 pages that has had its first poll, and no full pass yet. */
async function largeWorld(source: Partial<PollingSource>): Promise<MemoryWorld> {
  const world = worldWith(range(1, 120).map((responseId) => ({ responseId, completed: at(-HOUR), size: 10 })));
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  await settle(world, source);
  world.calls.length = 0;
  return world;
}

/** Ticks until no debt is left. */
async function settle(world: MemoryWorld, source: Partial<PollingSource>): Promise<void> {
  for (let tick = 0; tick < 100; tick += 1) {
    if ((world.account.overdrawn ?? 0) === 0 && tick > 0) return;
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
  throw new Error("the debt is never paid back");
}

async function ticks(world: MemoryWorld, count: number, source: Partial<PollingSource>): Promise<number[]> {
  const costs: number[] = [];
  for (let tick = 0; tick < count; tick += 1) {
    world.time.now += MINUTE;
    const before = pagesRead(world).length;
    await runTick(world, { source });
    costs.push(pagesRead(world).length - before);
  }
  return costs;
}

// R23
describe("the background budget", () => {
  it.each([0.25, 1, 3, 8])("of %d requests a tick is kept over time, and used", async (budget) => {
    const source = busy(budget);
    const world = await largeWorld(source);
    const costs = await ticks(world, 80, source);
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    // The last slice may have been begun with a part of a request.
    expect(total).toBeLessThanOrEqual(80 * budget + SLICE);
    expect(total).toBeGreaterThanOrEqual(80 * budget * 0.7);
  });

  it("is paid back: after a tick that took more there is no slow work until it is even", async () => {
    const source = busy(1);
    const world = await largeWorld(source);
    const costs = await ticks(world, 40, source);
    let spent = 0;
    for (const [i, cost] of costs.entries()) {
      if (cost > 0) expect(spent).toBeLessThan(i + 1);
      spent += cost;
      expect(cost).toBeLessThanOrEqual(SLICE);
    }
    expect(costs).toContain(0);
  });

  it("is not saved up: after an hour without slow work it is as large as ever", async () => {
    const world = worldWith(range(1, 120).map((responseId) => ({ responseId, completed: at(-HOUR), size: 10 })));
    await runTick(world, { source: fullPassesOnly, deadline: Number.POSITIVE_INFINITY });
    expect(await ticks(world, 60, fullPassesOnly)).toEqual(range(1, 60).map(() => 0));
    world.time.now += 24 * HOUR;
    const [first = 0, ...rest] = await ticks(world, 10, fullPassesOnly);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(SLICE);
    // It has to be paid back before the next one.
    expect(rest).toEqual(rest.map(() => 0));
  });

  it("grows by a fifth of the requests made for news", async () => {
    const source = busy(1);
    const world = await largeWorld(source);
    let id = 1_000;
    let news = 0;
    for (let tick = 0; tick < 40; tick += 1) {
      world.time.now += MINUTE;
      for (let i = 0; i < 10; i += 1, id += 1) {
        arrive(world, { responseId: id, completed: at(world.time.now - HOUR) });
      }
      const before = timesCalled(world, "service") - readsOf(world, "asc").length;
      await runTick(world, { source });
      news += timesCalled(world, "service") - readsOf(world, "asc").length - before;
    }
    // Ten responses a tick: metrics and metadata of each, and the head page or two.
    expect(news).toBeGreaterThanOrEqual(40 * 21);
    const slow = readsOf(world, "asc").length;
    expect(slow).toBeLessThanOrEqual(40 + news / 5 + SLICE);
    expect(slow).toBeGreaterThanOrEqual((40 + news / 5) * 0.7);
  });

  it("never keeps news from going out", async () => {
    const source = busy(0);
    const world = await largeWorld(source);
    await ticks(world, 5, source);
    expect(readsOf(world, "asc")).toEqual([]);
    arrive(world, { responseId: 1_000, completed: at(0) });
    world.delivered.length = 0;
    await ticks(world, 1, source);
    expect(world.delivered.map(({ data }) => data.responseId)).toEqual([1_000]);
  });

  it("is one for all surveys of a source", async () => {
    const source = busy(2);
    const world = await largeWorld(source);
    for (const surveyId of range(2, 6)) {
      addSurvey(
        world,
        surveyId,
        range(1, 100).map((responseId) => ({ responseId, completed: at(0) })),
      );
    }
    await ticks(world, 2, source);
    await settle(world, source);
    world.calls.length = 0;
    const costs = await ticks(world, 60, source);
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(2 * 60 + SLICE);
    const surveys = new Set(readsOf(world, "asc").map(({ args }) => args[0]));
    expect(surveys.size).toBe(6);
  });

  it("does not pay for a backlog that a full poll meets: the full polls of other surveys stay in time", async () => {
    const world = await worldWithUncounted(4_000);
    await ticksUntilEmitted(world, 4_000, 40);
    // The head pages that came before it, each read twice more for the seams on its sides.
    expect(world.account.overdrawn ?? 0).toBeLessThanOrEqual(3 * 20 + 5);

    arriveUncounted(world, [{ surveyId: 2, responseId: 60_000, completed: at(world.time.now - noon) }]);
    world.delivered.length = 0;
    // Once the head pages are paid back, at one a tick.
    await ticksUntilEmitted(world, 1, 80);

    expect(deliveredIds(world)).toEqual([60_000]);
  });

  it("does not pay either when the full poll goes on with a backlog that was left in the middle", async () => {
    const world = await worldWithUncounted(4_000);
    let dead = false;
    world.before.push(({ port, operation, args }) => {
      const isBehind = placeOf(world.mark(1)) !== undefined;
      dead ||= isBehind && operation === "page" && args[2] === "asc" && Number(args[1]) > 30;
      if (dead && port === "state") throw new Error("the table is gone");
    });
    while (!dead) {
      world.time.now += MINUTE;
      await runTick(world).catch(() => undefined);
    }
    world.before.length = 0;
    expect(placeOf(world.mark(1))).toBeDefined();

    await ticksUntilEmitted(world, 4_000, 40);

    expect(world.account.overdrawn ?? 0).toBeLessThanOrEqual(5);
  });
});

/** Lists responses that no count shows. */
function arriveUncounted(world: MemoryWorld, responses: ResponseSpec[]): void {
  for (const response of responses) {
    const survey = surveyOf(world, response.surveyId);
    const counts = { ...survey.counts };
    arrive(world, response);
    survey.counts = counts;
  }
}

/** Two surveys at rest, of which the first one has just got so many responses that no count shows. */
async function worldWithUncounted(count: number): Promise<MemoryWorld> {
  const world = worldWith(range(1, 20).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  const others = range(1, 20).map((id) => ({ responseId: 50_000 + id, completed: at(-HOUR) }));
  addSurvey(world, 2, others);
  for (let tick = 0; tick < 60; tick += 1) {
    world.time.now += MINUTE;
    await runTick(world);
  }
  arriveUncounted(
    world,
    range(101, 100 + count).map((responseId) => ({ responseId, completed: at(HOUR) })),
  );
  world.delivered.length = 0;
  return world;
}

async function ticksUntilEmitted(world: MemoryWorld, count: number, mostTicks: number): Promise<void> {
  for (let tick = 0; tick < mostTicks && new Set(deliveredIds(world)).size < count; tick += 1) {
    world.time.now += MINUTE;
    await runTick(world);
  }
  expect(new Set(deliveredIds(world)).size).toBe(count);
}
