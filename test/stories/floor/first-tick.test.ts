import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type MemoryWorld, memoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  range,
  runTick,
  SECOND,
  worldWith,
} from "../../support/survey.ts";

/** Four surveys are polled at once. */
const fromNow = { source: { startFrom: "now", concurrency: 4 } } as const;
const sorted = (ids: number[]): number[] => ids.toSorted((a, b) => a - b);

/** Surveys 1 to 6, each with eight responses of the last ten hours: 101 to 108 in the first one. */
function sixSurveys(): MemoryWorld {
  const world = memoryWorld(noon);
  for (const surveyId of range(1, 6)) {
    const responses = range(1, 8).map((k) => ({ responseId: surveyId * 100 + k, completed: at((k - 10) * HOUR) }));
    addSurvey(world, surveyId, responses);
  }
  // The timers of a killed process stand still.
  world.ports.clock = { now: world.ports.clock.now, every: () => () => undefined };
  return world;
}

/** A tick whose process is no more once this call would be made. */
async function killedAt(world: MemoryWorld, operation: string, surveyId: number): Promise<void> {
  let dead = false;
  world.before.push(async (call) => {
    dead ||= call.operation === operation && call.args[0] === surveyId;
    if (dead) await new Promise(() => {});
  });
  void runTick(world, { ...fromNow, owner: "killed" });
  while (!dead) await setImmediate();
  world.before.length = 0;
}

async function laterTicks(world: MemoryWorld, count: number): Promise<void> {
  for (const i of range(1, count)) {
    world.time.now += 5 * MINUTE;
    await runTick(world, { ...fromNow, owner: `later ${i}` });
  }
}

describe("history begins at the first tick", () => {
  it("also when that is killed before any row is saved: a survey it did not get to loses nothing", async () => {
    const world = sixSurveys();
    await killedAt(world, "acquire", 6);
    expect(world.mark(1).floor).toBeDefined();
    expect(world.account.rows.size).toBe(0);
    arrive(world, { surveyId: 1, responseId: 199, completed: at(4 * MINUTE) });
    arrive(world, { surveyId: 6, responseId: 699, completed: at(4 * MINUTE) });

    await laterTicks(world, 3);

    // Nobody knows what the first tick has read: the last twelve hours may all be later, of what it did not get to.
    expect(deliveredIds(world)).toEqual(expect.arrayContaining([199, 699]));
    expect(deliveredIds(world).filter((id) => id < 200)).toEqual([199]);
    expect(world.account.firstTick).toBe(noon);
  });

  it("also for a pass over an unordered list that it was killed in", async () => {
    const spread = (id: number): number => -(((id * 149) % 400) + 1) * MINUTE;
    const world = worldWith(range(1, 400).map((responseId) => ({ responseId, completed: at(spread(responseId)) })));
    world.ports.clock = { now: world.ports.clock.now, every: () => () => undefined };
    await killedAt(world, "putEntries", 1);
    expect(world.mark(1).floor?.rises).toBe(true);
    arrive(world, { responseId: 401, completed: at(4 * MINUTE) });
    arrive(world, { responseId: 402, completed: at(3 * MINUTE) });

    await laterTicks(world, 3);

    expect(deliveredIds(world)).toEqual(expect.arrayContaining([401, 402]));
  });

  it.each([2, 365])(
    "but not in the future, by a clock that was %i days ahead: a survey made since loses nothing",
    async (days) => {
      const world = worldWith(range(1, 5).map((responseId) => ({ responseId, completed: at(-HOUR) })));
      addSurvey(world, 2, [{ responseId: 11, completed: at(-HOUR) }]);
      world.time.now = noon + days * 24 * HOUR;
      await runTick(world, fromNow);
      world.time.now = noon + 10 * MINUTE;
      await runTick(world, fromNow);
      const created = (noon + 12 * MINUTE) / SECOND;
      const answered = range(31, 33).map((responseId) => ({ responseId, completed: at(15 * MINUTE) }));
      addSurvey(world, 3, answered, { created });

      await laterTicks(world, 5);

      expect(sorted(deliveredIds(world))).toEqual([31, 32, 33]);
    },
  );

  it("also when that could poll nothing: what completed since goes out, and of before no more than half a day", async () => {
    const world = worldWith([
      { responseId: 1, completed: at(-20 * HOUR) },
      { responseId: 2, completed: at(-13 * HOUR) },
      { responseId: 3, completed: at(-11 * HOUR) },
    ]);
    world.before.push(({ operation }) => {
      if (operation === "page") throw Object.assign(new Error("down"), { code: "SERVER_ERROR" });
    });
    await runTick(world, fromNow);
    arrive(world, { responseId: 4, completed: at(HOUR) });
    world.time.now += 3 * HOUR;
    world.before.length = 0;

    await laterTicks(world, 2);

    expect(sorted(deliveredIds(world))).toEqual([3, 4]);
    expect(world.account.firstTick).toBe(noon);
  });

  it("also where a date of another survey is wrong: what completed in one that could not be read until later goes out", async () => {
    const world = memoryWorld(noon);
    const eight = (first: number) =>
      range(0, 7).map((k) => ({ responseId: first + k, completed: at((k - 10) * HOUR) }));
    addSurvey(world, 1, [...eight(101), { responseId: 109, completed: at(9 * HOUR) }]);
    addSurvey(world, 2, eight(201));
    addSurvey(world, 3, eight(301));
    world.before.push(({ operation, args }) => {
      if (operation === "page" && args[0] === 2) throw Object.assign(new Error("down"), { code: "SERVER_ERROR" });
    });
    await runTick(world, fromNow);
    for (const k of range(1, 8)) arrive(world, { surveyId: 2, responseId: 210 + k, completed: at(k * 30 * MINUTE) });
    world.time.now += 5 * HOUR;
    world.before.length = 0;

    await laterTicks(world, 2);

    expect(world.account.sourceFloor).toBe(at(-3 * HOUR));
    expect(sorted(deliveredIds(world))).toEqual(range(211, 218));
  });
});
