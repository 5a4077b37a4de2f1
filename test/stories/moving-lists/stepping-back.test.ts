import { expect, it } from "vitest";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  poll,
  polled,
  range,
  recordsOf,
  replace,
  runTick,
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

// R7, R20
it("a first pass lists for its books what a completion has moved to the page before, though it is from before the floor", async () => {
  // In no order, so that the first pass goes over all pages.
  const dateOf = (responseId: number): string => at(-((responseId * 17) % 61) * HOUR);
  const world = worldWith(
    [38, 38, 44, 16, 45, 45].map((size, i) =>
      i === 1 ? { responseId: 2, size } : { responseId: i + 1, size, completed: dateOf(i + 1) },
    ),
  );
  let reads = 0;
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation !== "page" || page !== 3 || order !== "asc") return;
    reads += 1;
    if (reads !== 2) return;
    const survey = surveyOf(world);
    const others = survey.records.filter((record) => responseIdOf(record) !== 2);
    survey.records = [...others, ...recordsOf({ responseId: 2, size: 38, completed: at(HOUR) })];
  });
  for (const _ of range(1, 2)) {
    world.time.now += HOUR;
    await runTick(world, { source: { startFrom: "now", patrol: { every: 100 * HOUR, full: 100 * HOUR } } });
  }
  expect(reads).toBeGreaterThanOrEqual(2);
  expect(world.mark(1).books).toMatchObject({ listed: 6, passes: 1 });
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
