import { expect, it } from "vitest";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  poll,
  polled,
  range,
  replace,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const responseIdOf = (record: unknown): unknown => (record as { responseId: unknown }).responseId;

// R5, R7
it("a response that had not gone out when the walk stepped back is met again, though a deletion has moved it to the page before", async () => {
  const world = worldWith(
    range(1, 30).map((responseId) =>
      responseId === 11 ? { responseId, size: 10 } : { responseId, size: 10, completed: at(-HOUR) },
    ),
  );
  await poll(world);
  replace(world, { responseId: 11, size: 10, completed: at(0) });
  for (const responseId of range(31, 60)) arrive(world, { responseId, size: 10, completed: at(0) });
  let reads = 0;
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation !== "page" || page !== 3 || order !== "asc") return;
    reads += 1;
    if (reads !== 2) return;
    const survey = surveyOf(world);
    survey.records = survey.records.filter((record) => responseIdOf(record) !== 1);
  });
  await poll(world, { listedCount: 59, source: { headPages: 1 } });
  expect(reads).toBeGreaterThanOrEqual(2);
  expect(deliveredIds(world)).toContain(11);
  expect(new Set(deliveredIds(world)).size).toBe(60);
});

// R8
it("arrivals between two reads do not teach that short pages have something behind them", async () => {
  const world = worldWith(range(1, 9).map((responseId) => ({ responseId, size: 10, completed: at(-HOUR) })));
  let hasCome = false;
  world.before.push(({ operation, args: [, page, order] }) => {
    if (hasCome || operation !== "page" || page !== 2 || order !== "asc") return;
    hasCome = true;
    for (const responseId of [10, 11, 12]) arrive(world, { responseId, size: 10, completed: at(0) });
  });
  const { shortPageEnds } = await polled(world, { listedCount: 9 });
  expect(hasCome).toBe(true);
  expect(shortPageEnds).not.toBe(false);
});
