import { expect, it } from "vitest";
import { surveyCounts } from "../../../../lib/events/build/survey.ts";
import { areNews } from "../../../../lib/polling/publish/tell.ts";
import { addSurvey, HOUR, MINUTE, noon, runTick, worldWith } from "../../../support/survey.ts";

const events = new Set(["response.completed", "survey.counted"] as const);

// R20
it("counts that the list shows as text are numbers, and those that cannot be read are null", () => {
  expect(surveyCounts({ impressions: "480", opened: 96, responses: "many" })).toEqual({
    impressions: 480,
    opened: 96,
    responses: null,
  });
});

it("a survey without any count that can be read is not told of", () => {
  const none = { impressions: null, opened: null, responses: null };
  expect(areNews(none, undefined, noon)).toBe(false);
  expect(areNews({ ...none, opened: 1 }, undefined, noon)).toBe(true);
});

it("an event that the bus does not take is told by a later tick, with the same number and counts", async () => {
  const world = worldWith([]);
  let isDown = true;
  world.before.push(({ port, operation }) => {
    if (isDown && port === "publisher" && operation === "publish") throw new Error("the bus is down");
  });
  await runTick(world, { source: { events } }).catch(() => undefined);
  world.counts.set(1, { responses: 5 });
  isDown = false;
  world.time.now = noon + 2 * MINUTE;
  await runTick(world, { source: { events } });

  expect(world.told.map(({ detail }) => detail)).toMatchObject([
    { meta: { sequence: 1 }, data: { surveyId: 1, responses: 0, asOf: new Date(noon).toISOString() } },
  ]);
});

it("within the hour nothing is told; of several the one that has changed is told", async () => {
  const world = worldWith([]);
  const source = { events, rescan: { every: 24 * HOUR, full: 24 * HOUR } };
  addSurvey(world, 2, []);
  await runTick(world, { source });
  world.model.visit(2, 7);
  const told = world.told.length;
  for (const [at, more] of [
    [59 * MINUTE, 0],
    [HOUR, 1],
    [HOUR + MINUTE, 1],
  ] as const) {
    world.time.now = noon + at;
    world.calls.length = 0;
    await runTick(world, { source });
    expect(world.told).toHaveLength(told + more);
    expect(world.calls.filter(({ port }) => port === "service").map(({ operation }) => operation)).toEqual(["surveys"]);
  }
  expect(world.told.at(-1)?.detail).toMatchObject({ meta: { sequence: 2 }, data: { surveyId: 2, impressions: 7 } });
});
