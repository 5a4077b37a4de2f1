import { expect, it } from "vitest";
import { at, MINUTE, runTick, worldWith } from "../../../support/survey.ts";

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
