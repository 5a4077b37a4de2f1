import { describe, expect, it } from "vitest";
import type { PollingSource } from "../../../lib/polling/index.ts";
import { failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { changeMark, DAY, fullPassesOnly, ticksUntil } from "../../support/slow.ts";
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

describe("while operation 9 is of no use", () => {
  it("because a walk has still to tell whether it has more than the pages, nothing of it goes out by itself", async () => {
    const world = await worldWithOpen((record) => record);
    await changeMark(world, (mark) => {
      mark.contents.suspects = [3];
    });
    complete(world);
    const records = recordsOf(completedNow(world)) as Fields[];
    answer(world, OPEN, [...records, { ...records[0], questionId: 900_001 }], (record) => record);
    const fault = { on: true };
    world.before.push(({ operation, args }) => {
      if (fault.on && operation === "page" && Number(args[1]) > 1) {
        throw Object.assign(new Error("500"), { code: "SERVER_ERROR" });
      }
    });
    let ticked = 0;
    await ticksUntil(world, () => ++ticked === 2, { source });
    expect(deliveredIds(world)).not.toContain(OPEN);

    fault.on = false;
    await ticksUntil(world, () => deliveredIds(world).includes(OPEN), { source }, 3_000);
    expect(world.delivered[0]?.data.answers).toHaveLength(4);
  });

  it("because it fails, nothing goes out cut, and a full pass finds what was completed", async () => {
    const world = await worldWithOpen();
    failing(world, "response");
    complete(world);
    await ticksUntil(world, () => world.time.now > noon + 10 * HOUR, { source }, 1_000);
    expect(deliveredIds(world)).toEqual([]);
    await ticksUntil(world, () => deliveredIds(world).includes(OPEN), { source }, 2_000);
    expect(world.delivered[0]?.data.answers).toHaveLength(4);
    expect(world.delivered[0]?.meta.origin).toBe("full-pass");
  });

  it("because nothing of it could ever be compared, it is not asked about open ones at all", async () => {
    const world = await worldWithOpen(() => ({ odd: true }));
    const asked = watchAsking(world);
    await ticksUntil(world, () => world.time.now > noon + 2 * HOUR, { source }, 1_000);
    expect(asked).toEqual([]);
  });

  it("because it gives part of the answers, the list's are the ones that go out", async () => {
    const world = await worldWithOpen(({ dateCompleted: _, ...record }) => record);
    await ticksUntil(world, () => world.time.now > noon + 10 * MINUTE, { source });
    complete(world);
    const all = recordsOf(completedNow(world)) as Fields[];
    answer(world, OPEN, all.slice(0, 2), ({ dateCompleted: _, ...record }) => record);
    await ticksUntil(world, () => deliveredIds(world).includes(OPEN), { source });
    expect(world.delivered[0]?.data.answers).toHaveLength(4);
  });
});

describe("many open responses", () => {
  it("are asked about within the budget, ten at once, and all get their turn", async () => {
    const count = 60;
    const world = worldWith([
      ...range(1, count).map((responseId) => ({ responseId, fields })),
      ...range(101, 120).map((responseId) => ({ responseId, completed: at(-HOUR) })),
    ]);
    const slow = { ...fullPassesOnly, backgroundRequests: 4 };
    await runTick(world, { source: slow });
    const asked = new Set<number>();
    let most = 0;
    for (let tick = 0; tick < 40; tick += 1) {
      world.time.now += MINUTE;
      world.calls.length = 0;
      await runTick(world, { source: slow });
      const calls = world.calls.filter(({ operation }) => operation === "response");
      most = Math.max(most, calls.length);
      for (const { args } of calls) asked.add(Number(args[1]));
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
    expect(asked.size).toBe(count);
  });
});
