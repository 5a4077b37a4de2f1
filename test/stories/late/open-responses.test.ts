import { describe, expect, it } from "vitest";
import type { PollingSource } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { DAY, fullPassesOnly, ticksUntil } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  range,
  recordsOf,
  replace,
  runTick,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const source: Partial<PollingSource> = { ...fullPassesOnly, backgroundRequests: 10 };
const OPEN = 1;
/** Begun at noon: an open one is as old as its date of start tells. */
const fields = { dateStart: at(0) };

type Fields = Record<string, unknown>;

/** One response that is open, at the far end of a list of five pages, and others that are settled. */
async function worldWithOpen(single?: (record: Fields) => Fields): Promise<MemoryWorld> {
  const settled = range(2, 150).map((responseId) => ({ responseId, completed: at(-DAY + responseId), size: 3 }));
  const world = worldWith([{ responseId: OPEN, size: 4, fields }, ...settled]);
  if (single !== undefined) {
    for (const spec of settled) answer(world, spec.responseId, recordsOf(spec) as Fields[], single);
  }
  await runTick(world, { source });
  await ticksUntil(world, () => world.mark(1).pass === undefined, { source });
  expect(world.entry(1, OPEN)?.state).toBe("open");
  world.delivered.length = 0;
  world.calls.length = 0;
  return world;
}

function answer(world: MemoryWorld, id: number, records: Fields[], as: (record: Fields) => Fields): void {
  surveyOf(world).single.set(id, { kind: "found", body: records.map(as) });
}

const completedNow = (world: MemoryWorld) => ({
  responseId: OPEN,
  completed: at(world.time.now - noon),
  size: 4,
  fields,
});

/** Completes the open response where it stands, without any count. */
function complete(world: MemoryWorld, single?: (record: Fields) => Fields): void {
  replace(world, completedNow(world));
  if (single !== undefined) answer(world, OPEN, recordsOf(completedNow(world)) as Fields[], single);
}

/** Minutes after noon at which operation 9 was asked about the open one. */
function watchAsking(world: MemoryWorld): number[] {
  const asked: number[] = [];
  world.before.push(({ operation, args }) => {
    if (operation === "response" && args[1] === OPEN) asked.push((world.time.now - noon) / MINUTE);
  });
  return asked;
}

describe("an open response", () => {
  it("is asked about after half its age each time, at least an interval, and not for longer than a full pass takes to come", async () => {
    const world = await worldWithOpen();
    const since = (world.entry(1, OPEN)?.firstSeen ?? 0) - noon;
    expect(since).toBeLessThan(5 * MINUTE);
    const asked = watchAsking(world);
    // Until none is due any more, and another full pass has gone by.
    await ticksUntil(world, () => world.time.now > noon + 3 * DAY, { source }, 5_000);

    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThan(30);
    for (const [i, minute] of asked.entries()) {
      const before = asked[i - 1];
      if (before === undefined) continue;
      const half = Math.max(1, before / 2);
      expect(minute - before).toBeGreaterThanOrEqual(half - 1);
      expect(minute - before).toBeLessThanOrEqual(half + 2);
    }
    // What was due before it was older than the time between two full passes is the last one.
    expect(asked.filter((minute) => minute > DAY / MINUTE).length).toBeLessThanOrEqual(1);
  });

  it.each([2, 20, 200])(
    "that is completed after %i minutes goes out within half its age, found by no other walk",
    async (age) => {
      const world = await worldWithOpen();
      await ticksUntil(world, () => world.time.now >= noon + age * MINUTE, { source }, 1_000);
      complete(world);
      world.calls.length = 0;
      const took = await ticksUntil(world, () => deliveredIds(world).includes(OPEN), { source }, 1_000);

      expect(took).toBeLessThanOrEqual(age / 2 + 2);
      const [event] = world.delivered;
      expect(event?.meta.origin).toBe("recheck");
      expect(event?.data.answers).toHaveLength(4);
      expect(timesCalled(world, "service", "page")).toBe(0);
      expect(world.entry(1, OPEN)).toMatchObject({ state: "emitted", count: 4 });
    },
  );

  it.each([
    ["its own start, in the zone where that is latest", at(-3 * DAY), at(-DAY), 3 * DAY - 12 * HOUR],
    ["when it was first seen, if it may have begun since", at(-10 * HOUR), at(-DAY), 0],
    ["no other date: one that is ahead makes none old", at(-HOUR), at(20 * HOUR), 0],
    ["no start that cannot be", at(3 * DAY), at(-DAY), 0],
  ])("is as old as %s", async (_name, started, newest, age) => {
    const completed = range(2, 40).map((responseId) => ({ responseId, completed: at(-2 * DAY + responseId) }));
    const open = { responseId: OPEN, fields: { dateStart: started } };
    const world = worldWith([open, ...completed, { responseId: 50, completed: newest }]);
    await runTick(world, { source: { ...source, patrol: { every: HOUR, full: 30 * DAY } } });
    expect(world.entry(1, OPEN)?.firstSeen).toBe(noon - age);
  });
});
