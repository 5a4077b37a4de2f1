import { describe, expect, it } from "vitest";
import type { PollingSource } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { readsOf } from "../../support/slow.ts";
import { addSurvey, at, HOUR, MINUTE, range, runTick, surveyOf, timesCalled, worldWith } from "../../support/survey.ts";

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

async function ticks(world: MemoryWorld, most: number, source: Partial<PollingSource>): Promise<void> {
  for (let tick = 0; tick < most; tick += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
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

// R23
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

  it("and a search for what the counts have shown goes first, but does not keep the others from their turns", async () => {
    const world = await worldWithEverything();
    // More than there is: it is looked for to the end of the list, again and again.
    let shown = 0;
    for (let tick = 0; tick < 150; tick += 1) {
      world.time.now += MINUTE;
      if (tick % 20 === 0) shown += 5;
      surveyOf(world).counts.responses = 340 + shown;
      await runTick(world, { source: restless });
    }
    const share = shares(world);
    for (const [kind, requests] of Object.entries(share)) expect([kind, requests > 5]).toEqual([kind, true]);
    expect(world.mark(1).books?.passes).toBeGreaterThan(1);
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

  it("one that fails at every poll does not hold the others up", async () => {
    const world = await manyWorld();
    world.before.push(({ operation, args }) => {
      if (operation === "page" && args[0] === 7) throw new Error("broken");
    });
    await ticks(world, 200, source);
    const polls = pollsOf(world);
    for (const surveyId of surveys) expect([surveyId, (polls.get(surveyId) ?? 0) > 0]).toEqual([surveyId, true]);
    expect(polls.get(7)).toBeLessThan(10);
  });
});
