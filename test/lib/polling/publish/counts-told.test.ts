import { expect, it } from "vitest";
import { surveyCounts } from "../../../../lib/events/build/build-survey-counted.ts";
import { addSurvey, HOUR, MINUTE, noon, runTick, surveyOf, worldWith } from "../../../support/survey.ts";

const events = new Set(["response.completed", "survey.counted"] as const);

// R20
it("counts that the list shows as text are numbers, and those that cannot be read are null", () => {
  expect(surveyCounts({ impressions: "480", opened: 96, responses: "many" })).toEqual({
    impressions: 480,
    opened: 96,
    responses: null,
  });
});

it("a survey without any count that can be read is not told of", async () => {
  const world = worldWith([]);
  Object.assign(surveyOf(world), { counts: { responses: null, correct: 3, unpaidResponses: 0 } });
  await runTick(world, { source: { events } });
  expect(world.told).toEqual([]);
});

it("an event that the bus does not take is told by a later tick, with the same number and counts", async () => {
  const world = worldWith([]);
  let isDown = true;
  world.before.push(({ port, operation }) => {
    if (isDown && port === "publisher" && operation === "publish") throw new Error("the bus is down");
  });
  await runTick(world, { source: { events } }).catch(() => undefined);
  surveyOf(world).counts.responses = 5;
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
  Object.assign(surveyOf(world, 2), { facts: { impressions: 7 } });
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
