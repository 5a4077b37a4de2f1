import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, DAY, fullPass } from "../../support/slow.ts";
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

/** Two surveys; the list can be made to show the second alone, or none at all. */
async function worldOfTwo(): Promise<MemoryWorld & { show: (ids: number[]) => void }> {
  const world = worldWith(range(1, 5).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  addSurvey(world, 2, [{ responseId: 100, completed: at(-HOUR) }]);
  await runTick(world);
  world.calls.length = 0;
  const { service } = world.ports;
  const { surveys } = service;
  return {
    ...world,
    show: (ids) => {
      service.surveys = async () =>
        (await surveys()).filter((survey) => ids.includes((survey as { surveyId: number }).surveyId));
    },
  };
}

async function ticksFor(world: MemoryWorld, duration: number, every: number): Promise<void> {
  for (const end = world.time.now + duration; world.time.now < end; ) {
    world.time.now += every;
    await runTick(world);
  }
}

const readsOfSurvey = (world: MemoryWorld, surveyId: number): number =>
  world.calls.filter(({ operation, args }) => operation === "page" && args[0] === surveyId).length;

describe("a survey that the list shows no more", () => {
  it("is looked at once a day, and the others go on as before", async () => {
    const world = await worldOfTwo();
    world.show([2]);
    await ticksFor(world, 5 * DAY, 5 * MINUTE);
    expect(readsOfSurvey(world, 1)).toBeGreaterThanOrEqual(4);
    expect(readsOfSurvey(world, 1)).toBeLessThanOrEqual(6);
    expect(readsOfSurvey(world, 2)).toBeGreaterThan(100);
  });

  it("and answers 404 is no failure; its books are not closed with what it had gone, and it goes on when it is back", async () => {
    const world = await worldOfTwo();
    const before = closedBooks(world);
    const { service } = world.ports;
    const { page } = service;
    service.page = async (surveyId, number, order) =>
      surveyId === 1 ? { kind: "none", status: 404 } : page(surveyId, number, order);
    world.show([2]);
    await ticksFor(world, 3 * DAY, 10 * MINUTE);
    expect(world.progress.filter(({ kind }) => kind === "survey failed")).toEqual([]);
    expect(world.mark(1).books).toMatchObject({ listed: before.listed, gone: 0 });

    service.page = page;
    world.show([1, 2]);
    arrive(world, { responseId: 6, completed: at(world.time.now - noon) });
    await ticksFor(world, 2 * MINUTE, MINUTE);
    expect(deliveredIds(world).filter((id) => id === 6)).toEqual([6]);
    await fullPass(world, { source: {} });
    expect(closedBooks(world)).toMatchObject({ listed: 6, emitted: 6 });
  });
});

describe("a survey list that is read as empty", () => {
  it("changes nothing of what is known, and the surveys are polled as if no count had moved", async () => {
    const world = await worldOfTwo();
    await ticksFor(world, 2 * MINUTE, MINUTE);
    const before = structuredClone(world.account.rows);
    world.show([]);
    await ticksFor(world, 10 * MINUTE, MINUTE);
    expect(world.account.rows).toEqual(before);
    world.calls.length = 0;
    await ticksFor(world, 2 * HOUR, MINUTE);
    // None of them is taken for gone: their full polls go on.
    for (const surveyId of [1, 2]) expect(readsOfSurvey(world, surveyId)).toBeGreaterThanOrEqual(6);
    world.show([1, 2]);
    arrive(world, { responseId: 6, completed: at(0) });
    await ticksFor(world, MINUTE, MINUTE);
    expect(deliveredIds(world).at(-1)).toBe(6);
  });
});

/** Two surveys that were polled; from then on the list gives those of `hidden` an id that cannot be read. */
async function worldOfUnreadable(): Promise<MemoryWorld & { hide: (...ids: number[]) => void }> {
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
    const world = await worldOfUnreadable();
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
});
