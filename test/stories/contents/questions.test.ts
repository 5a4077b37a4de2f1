import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  noon,
  range,
  runTick,
  SECOND,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const modified = "2026-01-01 10:00:00";
const facts = { name: "After a visit", modified, languageId: 23 };
const failed = Object.assign(new Error("500"), { code: "SERVER_ERROR" });

async function minute(world: MemoryWorld, responseId?: number): Promise<void> {
  if (responseId !== undefined) arrive(world, { responseId, completed: at(world.time.now - noon), size: 1 });
  world.time.now += MINUTE;
  await runTick(world);
}

/** A survey whose first poll is over. */
async function quiet(): Promise<MemoryWorld> {
  const world = worldWith([], { facts });
  await runTick(world);
  return world;
}

// R17
describe("the questions of a survey", () => {
  it("stand beside the answers, by one request for all responses of a poll", async () => {
    const world = await quiet();
    for (const responseId of range(1, 30)) arrive(world, { responseId, completed: at(responseId * SECOND) });
    world.time.now += MINUTE;
    await runTick(world);
    expect(world.delivered).toHaveLength(30);
    expect(timesCalled(world, "service", "definition")).toBe(1);
    const [{ data } = { data: undefined }] = world.delivered;
    expect(data?.answers[0]).toMatchObject({
      question: { number: 1, type: "simple", text: "Question 1?" },
      labels: ["Choice 0"],
    });
    expect(data?.labelsMayDiffer).toBe(false);
  });

  it("that fail are waited for: the response goes out with them once they are had", async () => {
    const world = await quiet();
    surveyOf(world).definition = failed;
    await minute(world, 1);
    await minute(world);
    expect(world.delivered).toEqual([]);
    expect(world.entry(1, 1)).toMatchObject({ state: "waiting", reason: "questions:SERVER_ERROR" });
    delete surveyOf(world).definition;
    await minute(world);
    expect(world.delivered.map(({ meta }) => meta.complete)).toEqual([true]);
    expect(world.mark(1).questionsFail).toBeUndefined();
  });

  it("that fail for as long as the patience lasts keep nothing any longer, nor anything that comes later", async () => {
    const world = await quiet();
    surveyOf(world).definition = failed;
    await minute(world, 1);
    for (const _ of range(1, 13)) await minute(world);
    expect(world.delivered).toEqual([]);
    await minute(world, 2);
    await minute(world);
    expect(deliveredIds(world)).toEqual([1, 2]);
    await minute(world, 3);
    expect(deliveredIds(world)).toEqual([1, 2, 3]);
    for (const { meta, data } of world.delivered) {
      expect(meta).toMatchObject({ complete: false, missing: ["questions:gave-up"] });
      expect(data.answers[0]).toMatchObject({ question: null, labels: null });
    }
    // Asked for as seldom from then on.
    const asked = timesCalled(world, "service", "definition");
    delete surveyOf(world).definition;
    await minute(world, 4);
    expect(world.delivered.at(-1)?.meta.missing).toEqual(["questions:gave-up"]);
    expect(timesCalled(world, "service", "definition")).toBe(asked);
    world.time.now += 15 * MINUTE;
    await minute(world, 5);
    expect(world.delivered.at(-1)?.meta.missing).toEqual([]);
  });

  it("may be others than the respondent saw where the survey was edited since, and the event says so", async () => {
    const world = await quiet();
    surveyOf(world).facts = { ...facts, modified: at(MINUTE) };
    arrive(world, { responseId: 1, completed: at(0) });
    world.time.now += 2 * MINUTE;
    await runTick(world);
    expect(world.delivered.map(({ data }) => data.labelsMayDiffer)).toEqual([true]);
  });
});

const visit = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };

it("an event says which survey it is from, in the words of the list of its tick", async () => {
  const world = worldWith([], { facts: visit });
  await runTick(world);
  arrive(world, { responseId: 1, completed: at(0) });
  world.time.now += MINUTE;
  await runTick(world);
  surveyOf(world).facts = { ...visit, name: "After a stay" };
  arrive(world, { responseId: 2, completed: at(MINUTE) });
  world.time.now += MINUTE;
  await runTick(world);
  expect(world.delivered.map(({ data }) => data.survey)).toEqual([visit, { ...visit, name: "After a stay" }]);
});
