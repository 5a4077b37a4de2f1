import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
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
  worldWith,
} from "../../support/survey.ts";

/** Two surveys that were polled; from then on the list gives those of `hidden` an id that cannot be read. */
async function worldOfTwo(): Promise<MemoryWorld & { hide: (...ids: number[]) => void }> {
  const world = worldWith(range(1, 5).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  addSurvey(world, 2, [{ responseId: 100, completed: at(-HOUR) }]);
  await runTick(world);
  world.calls.length = 0;
  let hidden: number[] = [];
  const { service } = world.ports;
  const { surveys } = service;
  service.surveys = async () =>
    (await surveys()).map((survey) => {
      const row = survey as { surveyId: number };
      return hidden.includes(row.surveyId) ? { ...row, surveyId: `S-${row.surveyId}` } : row;
    });
  return { ...world, hide: (...ids) => (hidden = ids) };
}

const told = (world: MemoryWorld, kind: string): unknown[] =>
  world.progress.filter((progress) => progress.kind === kind);

describe("a row of the survey list whose id cannot be read", () => {
  it("is told, and a known survey that the list does not name is polled at each tick as before", async () => {
    const world = await worldOfTwo();
    world.hide(1);
    arrive(world, { responseId: 6, completed: at(0) });
    world.time.now += MINUTE;
    const summary = await runTick(world);
    expect(summary).toMatchObject({ listed: 2, unreadableSurveys: 1 });
    expect(told(world, "unreadable surveys")).toEqual([{ kind: "unreadable surveys", count: 1 }]);
    expect(deliveredIds(world).filter((id) => id === 6)).toEqual([6]);
    arrive(world, { responseId: 7, completed: at(world.time.now - noon) });
    world.time.now += MINUTE;
    await runTick(world);
    expect(deliveredIds(world).filter((id) => id === 7)).toEqual([7]);
  });

  it("has none taken for gone: where fewer are unreadable than are missing, their heads are read in turn", async () => {
    const world = await worldOfTwo();
    addSurvey(world, 3, [{ responseId: 200, completed: at(-HOUR) }]);
    await runTick(world);
    const { service } = world.ports;
    const { surveys } = service;
    service.surveys = async () => [(await surveys())[0], { surveyId: "S-2" }];
    arrive(world, { surveyId: 3, responseId: 201, completed: at(0) });
    for (const end = world.time.now + HOUR; world.time.now < end; ) {
      world.time.now += MINUTE;
      await runTick(world);
    }
    expect(deliveredIds(world).filter((id) => id === 201)).toEqual([201]);
  });

  it("fails the tick where there is no other, once the known surveys are polled", async () => {
    const world = await worldOfTwo();
    world.hide(1, 2);
    arrive(world, { responseId: 6, completed: at(0) });
    let failure: unknown;
    for (const end = world.time.now + HOUR; world.time.now < end; ) {
      world.time.now += MINUTE;
      failure = await runTick(world).catch((error: unknown) => error);
    }
    expect(failure).toMatchObject({ code: "SURVEY_LIST_UNREADABLE", retryable: true });
    expect((failure as Error).message).toBe("none of the 2 rows of the survey list has a surveyId that can be read");
    expect(told(world, "list failed").length).toBeGreaterThan(0);
    expect(deliveredIds(world).filter((id) => id === 6)).toEqual([6]);
  });

  it("fails the first tick of a source", async () => {
    const world = worldWith([]);
    world.ports.service.surveys = async () => [{ id: 1 }];
    await expect(runTick(world)).rejects.toMatchObject({ code: "SURVEY_LIST_UNREADABLE" });
  });
});
