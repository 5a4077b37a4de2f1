import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { scrub, ticksUntil } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  MINUTE,
  noon,
  pagesRead,
  range,
  recordsOf,
  runTick,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const HISTORY = 300;
// No slow work but what the test asks for.
const NEVER = 10_000 * 24 * 60 * MINUTE;
const source = { fullPoll: { every: NEVER }, lookBack: { every: NEVER, window: NEVER }, scrub: { every: NEVER } };
const scrubbing = { ...source, scrub: { every: 24 * 60 * MINUTE } };

/** Responses of two records, one a minute until noon, listed with the newest at the beginning of asc. */
function backwards(): MemoryWorld {
  return worldWith(
    range(1, HISTORY)
      .reverse()
      .map((responseId) => ({ responseId, completed: at((responseId - HISTORY) * MINUTE) })),
  );
}

/** Lists a new response as the newest, at the beginning of asc, and counts it. */
function arriveFirst(world: MemoryWorld, responseId: number): void {
  const survey = surveyOf(world);
  survey.records.unshift(...recordsOf({ responseId, completed: at(world.time.now - noon) }));
  survey.counts.responses = Number(survey.counts.responses) + 1;
}

/** Ticks until the response is out; gives the ticks and the pages that they read. */
async function until(world: MemoryWorld, responseId: number): Promise<{ ticks: number; pages: string[] }> {
  world.calls.length = 0;
  const ticks = await ticksUntil(world, () => deliveredIds(world).includes(responseId), { source });
  return { ticks, pages: pagesRead(world) };
}

/** After its first poll, and a first response that had to be looked for. */
async function learned(): Promise<MemoryWorld> {
  const world = backwards();
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  arriveFirst(world, HISTORY + 1);
  await until(world, HISTORY + 1);
  return world;
}

describe("a list with its news at the beginning of asc", () => {
  it("is read from there once its dates have told so: one tick, one page and the proof of it", async () => {
    const world = await learned();
    expect(world.mark(1).newsAt).toBe("asc");
    arriveFirst(world, HISTORY + 2);
    expect(await until(world, HISTORY + 2)).toEqual({ ticks: 1, pages: ["asc/1", "asc/2"] });
  });

  it("has each response once, and closes its books in a pass that reads towards the news", async () => {
    const world = await learned();
    world.calls.length = 0;
    await scrub(world, { source: scrubbing, between: (tick) => tick < 4 && arriveFirst(world, HISTORY + 1 + tick) });
    expect(new Set(pagesRead(world).filter((page) => page !== "asc/1" && page !== "asc/2"))).toContain("desc/6");
    const { books } = world.mark(1);
    expect(books?.moved).toBe(false);
    expect(books?.listed).toBe(HISTORY + 4);
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(1, HISTORY + 4));
  });

  it("streams a deep backlog from its oldest", async () => {
    const world = await learned();
    for (const id of range(HISTORY + 2, HISTORY + 200)) arriveFirst(world, id);
    world.delivered.length = 0;
    world.calls.length = 0;
    await ticksUntil(world, () => world.delivered.length >= 199, { source: { ...source, headPages: 1 } });
    expect(deliveredIds(world)).toEqual(range(HISTORY + 2, HISTORY + 200));
    expect(timesCalled(world, "service", "page")).toBeLessThan(40);
  });

  it("is read from the other end again once it runs the other way: nothing is lost", async () => {
    const world = await learned();
    surveyOf(world).records.reverse();
    surveyOf(world).records.push(...recordsOf({ responseId: HISTORY + 2, completed: at(world.time.now - noon) }));
    surveyOf(world).counts.responses = HISTORY + 2;
    await until(world, HISTORY + 2);
    await runTick(world, { source });
    expect(world.mark(1).newsAt).toBeUndefined();
    surveyOf(world).records.push(...recordsOf({ responseId: HISTORY + 3, completed: at(world.time.now - noon) }));
    surveyOf(world).counts.responses = HISTORY + 3;
    expect((await until(world, HISTORY + 3)).ticks).toBe(1);
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(1, HISTORY + 3));
  });
});
