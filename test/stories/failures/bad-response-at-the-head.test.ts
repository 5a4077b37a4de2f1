import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
function bad(world: MemoryWorld, id: number) {
  world.before.push(({ operation, args }) => {
    const event = args[0] as { detail?: { data: { responseId: number } } };
    if (operation === "seal" && event.detail?.data.responseId === id) throw new Error("no bucket");
  });
}
async function world40() {
  const world = worldWith(
    range(1, 400).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source: { fullPoll: { every: never }, patrol: { every: never, full: never } } });
  arrive(world, { responseId: 1_000, completed: at(1_000 * SECOND), size: 10 });
  bad(world, 1_000);
  return world;
}
it("one bad response at the head keeps no search waiting", async () => {
  const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
  const world = await world40();
  world.time.now += MINUTE;
  await runTick(world, { source });
  surveyOf(world).records.splice(1_000, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 10 }));
  surveyOf(world).counts.responses = Number(surveyOf(world).counts.responses) + 1;
  for (let i = 0; i < 25; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
  expect(deliveredIds(world)).toContain(900);
});
it("one bad response at the head keeps no patrol waiting", async () => {
  const source = { backgroundRequests: 20, fullPoll: { every: never }, patrol: { every: HOUR, full: 10_000 * HOUR } };
  const world = await world40();
  world.time.now += MINUTE;
  await runTick(world, { source });
  // Page 4 from the head: level 0, within an hour.
  surveyOf(world).records.splice(3_650, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 10 }));
  // Reads of the head that reach it by growing deeper would find it too: fewer ticks, wider apart
  for (let i = 0; i < 3; i += 1) {
    world.time.now += HOUR + 5 * MINUTE;
    await runTick(world, { source });
  }
  // Level 0 comes each hour; three have gone by.
  expect(world.mark(1).patrol?.reached[0] ?? 0).toBeGreaterThan(noon + HOUR);
});
it("(control) without it the patrol comes each hour", async () => {
  const source = { backgroundRequests: 20, fullPoll: { every: never }, patrol: { every: HOUR, full: 10_000 * HOUR } };
  const world = await world40();
  world.before.length = 0;
  for (let i = 0; i < 4; i += 1) {
    await runTick(world, { source });
    world.time.now += HOUR + 5 * MINUTE;
  }
  expect(world.mark(1).patrol?.reached[0] ?? 0).toBeGreaterThan(noon + HOUR);
});
