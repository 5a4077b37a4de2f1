import { expect, it } from "vitest";
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
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const SURVEYS = 60;
const one = (surveyId: number, responseId: number) => ({
  surveyId,
  responseId,
  completed: at(-HOUR + responseId * SECOND),
  size: 2,
});

it("what slow work has made wait goes out in time although the same work has failed of something else", async () => {
  const world = worldWith([one(1, 1)]);
  for (const id of range(2, SURVEYS)) addSurvey(world, id, [one(id, 1)]);
  for (let tick = 0; tick < 30; tick += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  // News that no count shows: the survey is polled when its turn comes.
  for (const id of [101, 102]) arrive(world, one(1, id));
  surveyOf(world, 1).counts.responses = 1;
  surveyOf(world, 1).metrics.set(101, { kind: "absent" });
  let failed = false;
  world.bus.decide = ({ data, meta }) => {
    if (failed || data.responseId !== 102 || meta.revision !== 1) return undefined;
    failed = true;
    return { kind: "failed", code: "InternalFailure" };
  };
  for (let tick = 0; tick < 2 * SURVEYS && world.entry(1, 101)?.state !== "waiting"; tick += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  expect(failed).toBe(true);
  expect(deliveredIds(world)).not.toContain(101);
  surveyOf(world, 1).metrics.delete(101);
  for (let tick = 0; tick < 2; tick += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  expect(deliveredIds(world)).toContain(101);
});
