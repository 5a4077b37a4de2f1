import { describe, expect, it } from "vitest";
import type { Selection } from "../../../../lib/polling/model/source.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  SECOND,
  takes,
  worldWith,
} from "../../../support/survey.ts";

const DAY = 24 * HOUR;

const complete = (count: number, first = 1) =>
  range(first, first + count - 1).map((responseId) => ({ responseId, completed: at(responseId * SECOND) }));

/** A world of `count` surveys that a first tick has polled. */
async function polledWorld(count: number): Promise<MemoryWorld> {
  const world = worldWith(complete(3));
  for (const surveyId of range(2, count)) addSurvey(world, surveyId, complete(3, surveyId * 10));
  await runTick(world);
  world.calls.length = 0;
  return world;
}

/** Ids of the surveys whose pages were read. */
function read(world: MemoryWorld): number[] {
  const ids = world.calls.filter(({ operation }) => operation === "page").map(({ args }) => Number(args[0]));
  return [...new Set(ids)].sort((a, b) => a - b);
}

async function readBy(world: MemoryWorld, overrides = {}): Promise<number[]> {
  world.calls.length = 0;
  await runTick(world, overrides);
  return read(world);
}

// R24
describe("an idle tick", () => {
  it("costs one request of the service, one read of the table, and the writes of its lease", async () => {
    const world = await polledWorld(5);
    world.time.now += MINUTE;

    await runTick(world);

    const calls = world.calls.map(({ port, operation }) => `${port}.${operation}`);
    expect(calls).toEqual(["state.takeRole", "state.account", "service.surveys", "state.giveBackRole"]);
  });
});

describe("polled surveys", () => {
  it("take their own time alone: what an outage has kept waiting goes out in several ticks", async () => {
    const world = await polledWorld(1);
    const outage = { on: true };
    world.before.push(({ operation }) => {
      if (operation === "metrics" && outage.on) throw new Error("out of order");
    });
    for (const id of range(1001, 1600)) arrive(world, { responseId: id, completed: at(HOUR) });
    world.time.now += MINUTE;
    await runTick(world);
    outage.on = false;
    takes(world, SECOND, ({ operation }) => operation === "metrics");
    const sent: number[] = [];
    for (const _ of range(1, 4)) {
      world.time.now += MINUTE;
      const [began, before] = [world.time.now, deliveredIds(world).length];
      await runTick(world, { ownTime: 2 * SECOND, deadline: began + 10 * MINUTE });
      expect(world.time.now - began).toBeLessThan(6 * SECOND);
      sent.push(deliveredIds(world).length - before);
    }
    expect(sent.filter((count) => count > 0).length).toBeGreaterThan(1);
    expect(sent.reduce((sum, count) => sum + count)).toBe(600);
  });

  it("are polled again, and the tick has failed, where they could not be saved", async () => {
    const world = await polledWorld(1);
    arrive(world, { responseId: 4, completed: at(HOUR) });
    world.before.push(({ operation }) => {
      if (operation === "saveRows") throw new Error("the table is throttled");
    });
    await expect(runTick(world)).rejects.toThrow("throttled");

    world.before.length = 0;
    expect(await readBy(world)).toEqual([1]);
    expect(deliveredIds(world).filter((id) => id === 4)).toEqual([4]);
  });
});

it("rescans take as much of the background budget as there is, and never hold news back", async () => {
  const world = await polledWorld(6);
  world.time.now += 15 * MINUTE;
  arrive(world, { responseId: 59, completed: at(HOUR), surveyId: 5 });

  const ids = await readBy(world, { source: { backgroundRequests: 2 } });

  expect(ids).toContain(5);
  // The one with news, two for the budget, and one for the fifth of the news' own requests that comes on top.
  expect(ids).toHaveLength(4);
});

describe("which surveys", () => {
  it("are all of the list, or those included, or all but those excluded", async () => {
    const selections: [Selection, number[]][] = [
      ["all", [1, 2, 3]],
      [{ include: [2, 9] }, [2]],
      [{ exclude: [2] }, [1, 3]],
    ];
    for (const [surveys, expected] of selections) {
      const world = worldWith(complete(1));
      addSurvey(world, 2, complete(1, 20));
      addSurvey(world, 3, complete(1, 30));
      expect(await readBy(world, { source: { surveys } })).toEqual(expected);
    }
  });

  it("leave out list items without a readable id, and never fail on them", async () => {
    const world = worldWith(complete(1));
    const real = world.ports.service.surveys;
    world.ports.service.surveys = async () => [null, 7, {}, { surveyId: "x" }, { surveyId: -1 }, ...(await real())];
    expect(await readBy(world)).toEqual([1]);
  });
});

describe("a survey whose polls fail", () => {
  it.each([
    ["from its first one on", 0],
    ["from a later one on", 1],
  ])("%s is known by since when, and by nothing after one that does not fail", async (_when, ticksBefore) => {
    const world = worldWith(complete(3));
    addSurvey(world, 2, complete(3, 20));
    for (let i = 0; i < ticksBefore; i += 1) await runTick(world);
    const { page } = world.ports.service;
    world.ports.service.page = (surveyId, ...rest) =>
      surveyId === 2 ? Promise.reject(new Error("SERVER_ERROR")) : page(surveyId, ...rest);
    world.counts.set(2, { responses: 1 });
    const since = world.time.now;

    expect((await runTick(world)).figures?.failing).toBe(0);
    world.time.now += 9 * MINUTE;
    expect((await runTick(world)).figures?.failing).toBe(9 * MINUTE);
    const { rows } = await world.ports.state.account();
    expect([1, 2].map((id) => rows.get(id)?.failingSince)).toEqual([undefined, since]);

    world.ports.service.page = page;
    expect((await runTick(world)).figures?.failing).toBe(0);
    expect(deliveredIds(world)).toEqual(expect.arrayContaining([20, 21, 22]));
  });
});

it("a survey that is listed no more has no further books, and their age is that of no trouble", async () => {
  const world = await polledWorld(2);
  world.model.removeSurvey(2);
  for (let day = 0; day < 30; day += 1) {
    world.time.now += DAY;
    await runTick(world, { source: { backgroundRequests: 20 } });
  }
  const { rows } = await world.ports.state.account();
  expect(rows.get(2)?.rest["full read"].at).toBe(Number.POSITIVE_INFINITY);
  expect((await runTick(world)).figures?.oldestBooks).toBeLessThan(8 * DAY);
});

it("a state that has lost its start is refused: one that is found anew would make history of what has completed since", async () => {
  const world = await polledWorld(1);
  delete world.account.start;
  await expect(runTick(world)).rejects.toMatchObject({ code: "STATE_REFUSED" });
});

it.each([
  ["a minute ago", -MINUTE, ["survey.changed"]],
  ["in ten years", 3_650 * DAY, []],
])(
  "a new survey that says it was created %s: it was not listed before, or nobody knows",
  async (_when, created, told) => {
    const source = { events: new Set(["survey.changed" as const]) };
    const world = worldWith(complete(1));
    await runTick(world, { source });
    world.time.now += HOUR;
    addSurvey(world, 2, complete(1, 10), world.time.now + created);
    for (let tick = 0; tick < 2; tick += 1) {
      await runTick(world, { source });
      world.time.now += MINUTE;
    }
    expect(world.told.map(({ type }) => type).filter((type) => type === "survey.changed")).toEqual(told);
  },
);
