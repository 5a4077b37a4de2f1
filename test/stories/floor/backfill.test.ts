import { describe, expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { backfill } from "../../../lib/operator/backfill.ts";
import { bareEntry } from "../../../lib/operator/forgotten.ts";
import { placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { operatorOf } from "../../support/operator.ts";
import { slice } from "../../support/slices.ts";
import {
  arrive,
  at,
  backlogRound,
  deliveredIds,
  HOUR,
  MINUTE,
  type ResponseSpec,
  range,
  runTick,
  SECOND,
  sortedIds,
  takes,
  tickAlone,
  worldWith,
} from "../../support/survey.ts";

// R14, R15: history goes out when an operator asks for it, and nothing else does.

const now = { source: { startFrom: "now", backgroundRequests: 20 } };

/** Completed hourly, the newest one an hour before noon, ten a page. */
function hourly(count: number, size = 10): ResponseSpec[] {
  return range(1, count).map((responseId) => ({ responseId, completed: at((responseId - count - 1) * HOUR), size }));
}

/** A source that has begun "now" over so many responses: all of them are history. */
async function worldBefore(count: number): Promise<MemoryWorld> {
  const world = worldWith(hourly(count));
  await runTick(world, now);
  expect(deliveredIds(world)).toEqual([]);
  expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
  expect(world.account.start?.at).toBe(at(-HOUR));
  return world;
}

const start = (world: MemoryWorld, from: string, to: string) =>
  backfill.run(operatorOf(world, now.source), { surveyId: 1, mode: "start", range: { from, to } });
const stop = (world: MemoryWorld) => backfill.run(operatorOf(world, now.source), { surveyId: 1, mode: "stop" });

/** Ticks a minute apart until no backfill is under way. */
async function untilOver(world: MemoryWorld): Promise<void> {
  for (let minute = 0; minute < 30 && placeOf(world.mark(1)) !== undefined; minute += 1) {
    world.time.now += MINUTE;
    await runTick(world, now);
  }
  expect(placeOf(world.mark(1))).toBeUndefined();
}

describe("a backfill", () => {
  it("emits history under the ids that it would always have had", async () => {
    const world = await worldBefore(60);
    const started = await start(world, at(-41 * HOUR), at(-2 * HOUR));
    expect(started).toMatchObject({ outcome: "started", floor: at(-HOUR) });
    await untilOver(world);

    expect(sortedIds(world)).toEqual(range(20, 59));
    for (const { data, meta } of world.delivered) {
      expect(meta).toMatchObject({ origin: "replay", revision: 1, eventId: eventId("main", 1, data.responseId) });
    }
    expect(world.entry(1, 60)?.state).toBe("before-floor");
    expect(world.entry(1, 19)?.state).toBe("before-floor");
  });

  it("emits nothing twice, however often it is made and over whatever range", async () => {
    const world = await worldBefore(40);
    for (const [from, to] of [
      [at(-20 * HOUR), at(-10 * HOUR)],
      [at(-20 * HOUR), at(-10 * HOUR)],
      [at(-25 * HOUR), at(0)],
    ] as const) {
      expect(await start(world, from, to)).toMatchObject({ outcome: "started" });
      await untilOver(world);
    }
    expect(sortedIds(world)).toEqual(range(16, 40));
  });

  it("is clipped to the start, and says where nothing lies before it", async () => {
    const world = await worldBefore(10);
    expect(await start(world, at(0), at(HOUR))).toMatchObject({ outcome: "nothing" });
    expect(await start(world, at(-3 * HOUR), at(HOUR))).toMatchObject({
      range: { from: at(-3 * HOUR), to: at(-HOUR) },
    });
    expect(await start(world, at(-3 * HOUR), at(2 * HOUR))).toMatchObject({ outcome: "under way" });
    expect(await start(world, at(-5 * HOUR), at(HOUR))).toMatchObject({ outcome: "other" });

    const beginning = worldWith(hourly(3));
    await runTick(beginning);
    const range = { from: at(-3 * HOUR), to: at(0) };
    const asked = backfill.run(operatorOf(beginning, {}), { surveyId: 1, mode: "start", range });
    expect(await asked).toMatchObject({ outcome: "nothing" });
  });

  it("stops: no more history goes out, its walk comes to the end, and another one goes on", async () => {
    const world = await worldBefore(200);
    takes(world, SECOND, ({ operation }) => operation === "page");
    await start(world, at(-300 * HOUR), at(0));
    await tickAlone(world, now);
    await slice(world, { streamUntil: world.time.now + 5 * SECOND, source: now.source });
    const before = deliveredIds(world).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(200);

    expect(await stop(world)).toMatchObject({ outcome: "stopped" });
    expect(await stop(world)).toEqual({ outcome: "none" });
    await untilOver(world);
    expect(deliveredIds(world)).toHaveLength(before);

    expect(await start(world, at(-300 * HOUR), at(0))).toMatchObject({ outcome: "started" });
    await untilOver(world);
    expect(sortedIds(world)).toEqual(range(1, 200));
  });

  it("keeps nothing new waiting: it goes out as what the head shows, before the backfill comes to it", async () => {
    const world = await worldBefore(300);
    takes(world, SECOND, ({ operation }) => operation === "page");
    await start(world, at(-400 * HOUR), at(0));
    arrive(world, { responseId: 301, completed: at(MINUTE) });

    await tickAlone(world, now);

    expect(deliveredIds(world)).toEqual([301]);
    expect(world.delivered[0]?.meta.origin).toBe("head");
    await untilOver(world);
    expect(sortedIds(world)).toEqual(range(1, 301));
  });

  it("leaves books that balance: a full pass follows", async () => {
    const world = await worldBefore(60);
    await start(world, at(-41 * HOUR), at(-2 * HOUR));
    await untilOver(world);
    for (let tick = 0; tick < 5; tick += 1) {
      world.time.now += MINUTE;
      await runTick(world, now);
    }
    const { books, booksOpen } = world.mark(1);
    expect(booksOpen).toBeUndefined();
    expect(books).toMatchObject({ listed: 60, emitted: 40, beforeFloor: 20 });
  });

  it("does not emit what is no date, nor what lies outside of its range by a second", async () => {
    const world = worldWith([
      ...hourly(5),
      { responseId: 6, completed: "2026-02-30 10:00:00" },
      { responseId: 7, completed: null },
    ]);
    await runTick(world, now);
    await start(world, "2026-01-01 00:00:00", at(-3 * HOUR - SECOND));
    await untilOver(world);
    expect(sortedIds(world)).toEqual([1, 2]);
  });

  it("does not bring back what was forgotten", async () => {
    const world = await worldBefore(3);
    await world.ports.state.putEntries(1, [bareEntry({ id: 2, state: "before-floor" })]);

    await start(world, at(-24 * HOUR), at(0));
    await untilOver(world);

    expect(deliveredIds(world)).toEqual([1, 3]);
  });

  it("halts while an operator pauses the source, and goes on afterwards", async () => {
    const world = await worldBefore(60);
    await start(world, at(-41 * HOUR), at(0));
    Object.assign(world.account, { pausedUntil: world.time.now + SECOND, pausedSince: world.time.now });
    world.calls.length = 0;
    expect(await runTick(world, now)).toMatchObject({ pausedSince: world.time.now, behind: 0 });
    expect((await backlogRound(world, now))?.slices).toEqual([]);
    expect(world.calls.some(({ port }) => port === "service")).toBe(false);
    delete world.account.pausedUntil;
    delete world.account.pausedSince;
    await untilOver(world);
    expect(deliveredIds(world)).toHaveLength(41);
  });
});
