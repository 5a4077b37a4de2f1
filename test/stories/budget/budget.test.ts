import { describe, expect, it } from "vitest";
import type { PollingSource } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { fullPassesOnly, readsOf } from "../../support/slow.ts";
import {
  addSurvey,
  arrive,
  at,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  runTick,
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

/** Pages read by each of so many ticks. */
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
});

/** Everything slow is always due. */
const restless: Partial<PollingSource> = {
  fullPoll: { every: MINUTE },
  patrol: { every: MINUTE, full: 30 * MINUTE },
};

/** 300 responses, a minute apart; the older ones of 40 open ones stand at the far end. */
async function worldWithEverything(): Promise<MemoryWorld> {
  const world = worldWith([
    ...range(1, 40).map((responseId) => ({ responseId, fields: { dateStart: at(0) } })),
    ...range(101, 400).map((responseId) => ({ responseId, completed: at((responseId - 400) * MINUTE) })),
  ]);
  await runTick(world, { source: restless, deadline: Number.POSITIVE_INFINITY });
  world.calls.length = 0;
  return world;
}

/** Requests by the kind of slow work that makes them. */
function shares(world: MemoryWorld): Record<"recheck" | "head" | "patrol" | "full pass", number> {
  const desc = readsOf(world, "desc");
  return {
    recheck: timesCalled(world, "service", "response"),
    head: desc.filter(({ args }) => args[1] === 1).length,
    patrol: desc.filter(({ args }) => Number(args[1]) > 1).length,
    "full pass": readsOf(world, "asc").length,
  };
}

describe("slow work that is all due at once", () => {
  it.each([1, 2, 5])("gets its turns, each kind of it, with %i requests a tick", async (backgroundRequests) => {
    const world = await worldWithEverything();
    await ticks(world, 120, { ...restless, backgroundRequests });
    const share = shares(world);
    for (const [kind, requests] of Object.entries(share)) expect([kind, requests > 3]).toEqual([kind, true]);
    const all = Object.values(share).reduce((sum, one) => sum + one, 0);
    // Half of the budget, where they need as much.
    if (backgroundRequests === 1) expect(share["full pass"] / all).toBeGreaterThan(0.45);
    // One for each half hour is due.
    expect(world.mark(1).books?.passes).toBeGreaterThanOrEqual(3);
  });
});

describe("a hundred surveys on one request a tick", () => {
  const source: Partial<PollingSource> = { patrol: { every: 99 * HOUR, full: 999 * HOUR } };
  const surveys = range(1, 100);

  async function manyWorld(): Promise<MemoryWorld> {
    const world = worldWith([{ responseId: 1, completed: at(-HOUR) }]);
    for (const surveyId of surveys.slice(1)) addSurvey(world, surveyId, [{ responseId: 1, completed: at(-HOUR) }]);
    await runTick(world, { source });
    world.calls.length = 0;
    return world;
  }

  const pollsOf = (world: MemoryWorld): Map<number, number> => {
    const polls = new Map(surveys.map((surveyId) => [surveyId, 0]));
    for (const { args } of readsOf(world, "desc")) polls.set(Number(args[0]), (polls.get(Number(args[0])) ?? 0) + 1);
    return polls;
  };
  const average = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

  it("share it evenly", async () => {
    const world = await manyWorld();
    await ticks(world, 300, source);
    const counts = [...pollsOf(world).values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    expect(average(counts)).toBeGreaterThan(2);
  });
});
