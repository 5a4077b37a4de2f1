import { expect, it } from "vitest";
import { isHistoryMet } from "../../../lib/polling/model/phase.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = { startFrom: "now" };
it("a first pass by the head comes to its end though two pages beside each other fail", async () => {
  // Sorted by completion, within the last three hours.
  const world = worldWith(
    range(1, 60).map((responseId) => ({
      responseId,
      completed: at(-2 * 60 * MINUTE + responseId * SECOND),
      size: 10,
      fields: { dateStart: at(-((responseId * 7919) % 5000) * MINUTE) },
    })),
  );
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation === "page" && order === "desc" && (page === 3 || page === 4)) throw new Error("no answer");
  });
  for (let i = 0; i < 60; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
  // New, with a date and without.
  arrive(world, { responseId: 100, completed: at(60 * MINUTE), size: 10 });
  surveyOf(world).records.push(...recordsOf({ responseId: 101, completed: "0000-00-00 00:00:00", size: 10 }));
  for (let i = 0; i < 10; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
  expect.soft(deliveredIds(world)).toContain(100);
  expect.soft(world.entry(1, 101)?.state).not.toBe("before-floor");
  expect.soft(isHistoryMet(world.mark(1))).toBe(true);
});
