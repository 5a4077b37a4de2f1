import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
const grow = (world: MemoryWorld): void => {
  surveyOf(world).counts.responses = Number(surveyOf(world).counts.responses) + 1;
};
async function tick(world: MemoryWorld): Promise<void> {
  world.time.now += MINUTE;
  world.calls.length = 0;
  await runTick(world, { source });
}
it("a search that was given up on its way does not leave its place to the next one", async () => {
  const world = worldWith(
    range(1, 2_000).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  // A count moves before the list shows why: the search begins, and has no time to come to the end.
  grow(world);
  let slow = true;
  world.before.push(({ operation }) => {
    if (operation === "page" && slow) world.time.now += SECOND;
  });
  for (let i = 0; i < 4; i += 1) await tick(world);
  expect(world.mark(1).search?.page).toBeGreaterThan(10);
  // Now the list shows it, at the head: nothing is missing any more.
  surveyOf(world).records.push(...recordsOf({ responseId: 3_000, completed: at(HOUR), size: 10 }));
  await tick(world);
  await tick(world);
  expect(deliveredIds(world)).toContain(3_000);
  slow = false;
  for (let i = 0; i < 200; i += 1) await tick(world);
  // Hours later one is completed late, on page 11, and counted.
  surveyOf(world).records.splice(19_000, 0, ...recordsOf({ responseId: 4_000, completed: at(-HOUR), size: 10 }));
  grow(world);
  const pages: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    await tick(world);
    pages.push(pagesRead(world).length);
  }
  expect(deliveredIds(world)).toContain(4_000);
});
