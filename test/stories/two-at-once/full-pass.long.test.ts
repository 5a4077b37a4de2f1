import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, DAY, fullPass, fullPassesOnly, readsOf, ticksUntil, truthOf } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = { ...fullPassesOnly, enrich: { metrics: false, metadata: false } };
/** Twelve pages: three slices. */
const COUNT = 200;
const SIZE = 6;
/** So far apart that the ids of some pages do not fit the mark, and lie in the vault between the slices. */
const DISTANCE = 2 ** 44;

/** In the middle of a full pass, behind its first slice; two responses that only such a pass meets stand on pages not read yet. */
async function worldInPass(): Promise<MemoryWorld> {
  const world = worldWith(
    range(1, COUNT).map((id) => ({ responseId: id * DISTANCE, completed: at(-HOUR), size: SIZE })),
  );
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  await fullPass(world);
  const { records } = surveyOf(world);
  records.splice(SIZE * 140, 0, ...recordsOf({ responseId: 901, completed: at(0), size: SIZE }));
  records.splice(SIZE * 130, 0, ...recordsOf({ responseId: 900, completed: at(0), size: SIZE }));
  const due = world.mark(1).nextPass ?? 0;
  world.time.now = due;
  await ticksUntil(world, () => (world.mark(1).pass?.page ?? 0) >= 2, { source });
  await ticksUntil(world, () => (world.account.overdrawn ?? 0) === 0, { source });
  expect(world.mark(1).pass?.ids).toHaveProperty("key");
  // The timers of a frozen process stand still.
  world.ports.clock = { now: world.ports.clock.now, every: () => () => undefined };
  world.calls.length = 0;
  return world;
}

const owned = (owner: string) => ({ source, tick: { owner } });

/** How many calls one slice of this pass makes. */
async function callsOfSlice(): Promise<number> {
  const world = await worldInPass();
  world.time.now += MINUTE;
  await runTick(world, { source, owner: "first" });
  return world.calls.length;
}

/** The tick of one worker freezes at its call `index` and wakes once another one has done `meanwhile`. */
async function freeze(
  world: MemoryWorld,
  { index, when }: { index: number; when: "before" | "after" },
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  let count = 0;
  const hook = async (): Promise<void> => {
    count += 1;
    if (count !== index) return;
    world[when].splice(world[when].indexOf(hook), 1);
    world.time.now += 30 * SECOND;
    await meanwhile();
  };
  world[when].push(hook);
  world.time.now += MINUTE;
  await runTick(world, { source, owner: "first" }).catch(() => undefined);
  expect(count).toBeGreaterThanOrEqual(index);
}

/** What must hold once a full pass has come to its end, whoever did its slices. */
async function checkEnd(world: MemoryWorld, index: number): Promise<void> {
  const all = deliveredIds(world).slice(COUNT);
  expect([index, new Set(all)]).toEqual([index, new Set([900, 901])]);
  const events = new Set(world.delivered.map(({ meta }) => meta.eventId));
  expect([index, events.size]).toEqual([index, COUNT + 2]);
  // The one who froze had at most one batch on its way.
  expect(all.length).toBeLessThanOrEqual(4);
  expect([index, closedBooks(world)]).toMatchObject([index, { ...truthOf(world), gone: 0, changed: 0 }]);
}

describe("two ticks that overlap during a full pass", () => {
  it.each(["before", "after"] as const)(
    "one of them frozen %s any call until the other has done a slice: nothing is lost, the books are right",
    async (when) => {
      for (const index of range(1, await callsOfSlice())) {
        const world = await worldInPass();
        const { startedAt } = closedBooks(world);
        await freeze(world, { index, when }, () => ticksUntil(world, () => true, owned("second")));
        await ticksUntil(world, () => world.mark(1).books?.startedAt !== startedAt, owned("second"));
        await checkEnd(world, index);
      }
    },
  );

  // R25
  it("at the same moment: one of them does the slice, the other leaves at once and says so", async () => {
    const world = await worldInPass();
    world.time.now += MINUTE;
    const page = world.mark(1).pass?.page ?? 0;
    const outcomes = await Promise.all(["first", "second"].map((owner) => runTick(world, { source, owner })));
    expect(outcomes.map(({ isBusy }) => isBusy)).toEqual([undefined, true]);
    expect(outcomes[1]?.surveys).toEqual([]);
    // One slice, which reads each of its pages twice, those that show its place among them.
    const reached = world.mark(1).pass?.page ?? 0;
    expect(reached).toBeGreaterThan(page);
    expect(readsOf(world, "asc").length).toBeLessThanOrEqual(2 * (reached - page + 3));
    await ticksUntil(world, () => world.mark(1).pass === undefined, { source });
    expect(world.delivered).toHaveLength(COUNT + 2);
    expect(world.time.now).toBeLessThan((world.mark(1).books?.startedAt ?? 0) + DAY);
  });
});
