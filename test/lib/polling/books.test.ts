import { expect, it } from "vitest";
import { at, MINUTE, replace, runTick, worldWith } from "../../support/survey.ts";

// R29
it("books stay open as long as the ledger lacks a listed response, and say how many", async () => {
  const world = worldWith([1, 2, 3].map((responseId) => ({ responseId, completed: at(-responseId) })));
  const { state } = world.ports;
  let isLosing = true;
  world.ports.state = {
    ...state,
    putEntries: (surveyId, entries) =>
      state.putEntries(surveyId, isLosing ? entries.filter(({ id }) => id !== 2) : entries),
  };

  const source = { rescan: { every: 15 * MINUTE, full: MINUTE }, backgroundRequests: 100 };
  await runTick(world, { source });
  expect(world.mark(1).booksOpen).toEqual({ code: "unaccounted", count: 1 });
  expect(world.mark(1).books).toBeUndefined();

  isLosing = false;
  world.time.now += 2 * MINUTE;
  await runTick(world, { source });
  expect(world.mark(1)).toMatchObject({ books: { listed: 3, emitted: 3 } });
  expect(world.mark(1).booksOpen).toBeUndefined();
});

// R20
it("a read for the books that could not replace events, as the bus took none, is followed by another one at once", async () => {
  const ids = Array.from({ length: 60 }, (_, i) => i + 1);
  const world = worldWith(ids.map((responseId) => ({ responseId, completed: at(-responseId) })));
  const source = { rescan: { every: 24 * 60 * MINUTE, full: 60 * MINUTE }, backgroundRequests: 1_000 };
  await runTick(world, { source });
  for (const responseId of ids) replace(world, { responseId, completed: at(-responseId), size: 3 });
  world.bus.decide = () => ({ kind: "failed", code: "ThrottlingException" });
  world.time.now += 61 * MINUTE;
  await runTick(world, { source });
  expect(world.mark(1)).toMatchObject({ pass: { unreplaced: true } });

  world.bus.decide = () => undefined;
  world.time.now += MINUTE;
  await runTick(world, { source });
  world.time.now += MINUTE;
  await runTick(world, { source });
  expect(world.delivered.filter(({ meta }) => meta.revision === 2)).toHaveLength(60);
});
