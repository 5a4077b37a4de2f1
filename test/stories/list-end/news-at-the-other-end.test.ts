import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, ticksUntil, truthOf } from "../../support/slow.ts";
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
const source = { fullPoll: { every: NEVER }, patrol: { every: NEVER, full: NEVER } };
const withPasses = { ...source, patrol: { every: NEVER, full: 24 * 60 * MINUTE } };

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

// The head is read where desc begins. What comes at the other end is what the counts have shown and the head has not.
describe("a list with its news at the beginning of asc", () => {
  it("is searched for what the counts have shown", async () => {
    const world = backwards();
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    for (const responseId of range(HISTORY + 1, HISTORY + 3)) {
      arriveFirst(world, responseId);
      const { ticks, pages } = await until(world, responseId);
      // The head a few times, until the counts are not believed to be late; then the list of 7 pages once, and its end twice.
      expect(ticks).toBeLessThanOrEqual(12);
      expect(pages.length).toBeLessThanOrEqual(19);
    }
  });

  it("has each response once, and closes its books", async () => {
    const world = backwards();
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    world.calls.length = 0;
    await fullPass(world, { source: withPasses, between: (tick) => tick < 4 && arriveFirst(world, HISTORY + tick) });
    await fullPass(world, { source: withPasses });
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: HISTORY + 3, emitted: HISTORY + 3 });
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(1, HISTORY + 3));
  });

  it("has all of a deep backlog found, each once, in a bounded number of requests", async () => {
    const world = backwards();
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    for (const id of range(HISTORY + 1, HISTORY + 200)) arriveFirst(world, id);
    world.delivered.length = 0;
    world.calls.length = 0;
    const ticks = await ticksUntil(world, () => world.delivered.length >= 200, { source: { ...source, headPages: 1 } });
    expect(ticks).toBeLessThanOrEqual(25);
    expect(timesCalled(world, "service", "page")).toBeLessThanOrEqual(40);
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(HISTORY + 1, HISTORY + 200));
  });

  it("is read at its head again once it runs the other way: nothing is lost", async () => {
    const world = backwards();
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    arriveFirst(world, HISTORY + 1);
    await until(world, HISTORY + 1);
    surveyOf(world).records.reverse();
    for (const id of [HISTORY + 2, HISTORY + 3]) {
      surveyOf(world).records.push(...recordsOf({ responseId: id, completed: at(world.time.now - noon) }));
      surveyOf(world).counts.responses = id;
      expect((await until(world, id)).ticks).toBe(1);
    }
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(1, HISTORY + 3));
  });
});
