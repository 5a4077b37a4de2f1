import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  worldWith,
} from "../../support/survey.ts";

// R9: a page that is stepped over is tried again by itself.

const never = 10_000 * HOUR;
/** No slow work at all: what is read is read as news. */
const source = { fullPoll: { every: never }, patrol: { every: never, full: never }, backgroundRequests: 0 };

/** 160 responses on 8 pages, 20 on each. */
const listed = range(1, 160).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 5 }));

/** The service fails to show these pages of 8, in either order, as long as `fails` says so. */
function failing(world: MemoryWorld, pages: number[], fails: () => boolean): void {
  world.before.push(({ operation, args }) => {
    const page = args[2] === "asc" ? Number(args[1]) : 9 - Number(args[1]);
    if (operation !== "page" || !pages.includes(page) || !fails()) return;
    throw Object.assign(new Error("no page"), { code: "SERVER_ERROR" });
  });
}

async function ticks(world: MemoryWorld, count: number): Promise<void> {
  for (const _ of range(1, count)) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
}

it("page 3 of 8, which fails for the first twenty minutes, is out within the next ten", async () => {
  const world = worldWith(listed);
  const mends = world.time.now + 20 * MINUTE;
  failing(world, [3], () => world.time.now < mends);
  await ticks(world, 20);
  expect(deliveredIds(world)).toHaveLength(140);
  await ticks(world, 10);
  expect(new Set(deliveredIds(world))).toEqual(new Set(range(1, 160)));
  expect(deliveredIds(world)).toHaveLength(160);
  expect(closedBooks(world)).toMatchObject({ listed: 160, emitted: 160 });
  expect(world.mark(1).failing?.asc).toBeUndefined();
});

it("as long as it fails it costs a request now and then, at last one an hour", async () => {
  const world = worldWith(listed);
  failing(world, [3], () => true);
  await ticks(world, 24 * 60);
  world.calls.length = 0;
  await ticks(world, 6 * 60);
  expect(pagesRead(world).filter((page) => page === "asc/3")).toHaveLength(6);
  // The same page of the other order, and the head at each of these tries.
  expect(pagesRead(world).length).toBeLessThanOrEqual(6 * 4);
});

it("one that fails again while all pages are read keeps its place, and the pauses go on growing", async () => {
  const world = worldWith(listed);
  let tried = 0;
  // One look is well, the next ones are not.
  failing(world, [3], () => {
    tried += 1;
    return tried % 5 !== 0;
  });
  await ticks(world, 24 * 60);
  arrive(world, { responseId: 161, completed: at(161 * SECOND), size: 5 });
  await ticks(world, 1);
  expect(deliveredIds(world)).toContain(161);
  world.calls.length = 0;
  await ticks(world, 6 * 60);
  expect(pagesRead(world).length).toBeLessThanOrEqual(6 * 60);
});

it.each([[[1]], [[3, 4]]])("pages %j, which fail from the first tick on, are never stepped over", async (pages) => {
  const world = worldWith(listed);
  const mends = world.time.now + 20 * MINUTE;
  failing(world, pages, () => world.time.now < mends);
  for (const _ of range(1, 20)) {
    await ticks(world, 1);
    const over = (world.mark(1).failing?.asc ?? []).filter(({ isSteppedOver }) => isSteppedOver);
    expect(over.length).toBeLessThanOrEqual(pages.length - 1);
  }
  await ticks(world, 10);
  expect(new Set(deliveredIds(world))).toEqual(new Set(range(1, 160)));
});
