import { describe, expect, it } from "vitest";
import { type BooksClosed, booksClosed, verifyBooks } from "../../../lib/events/index.ts";
import type { SealedEvent } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { fullPass } from "../../support/slow.ts";
import { arrive, at, MINUTE, poll, range, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

const listed = range(1, 30).map((responseId) => ({ responseId, completed: at(-responseId * SECOND), size: 2 }));

/** The `books.closed` events that the bus has. */
function toldOf(world: MemoryWorld): BooksClosed[] {
  return world.told.flatMap(({ type, detail }) => (type === "books.closed" ? [booksClosed.parse(detail)] : []));
}

const idsOf = (world: MemoryWorld): string[] => world.delivered.map(({ meta }) => meta.eventId);

/** Lets requests to the bus that carry closed books fail while it is on. */
function failBooks(world: MemoryWorld): { on: boolean } {
  const fault = { on: true };
  world.before.push(({ operation, args }) => {
    const isBooks = operation === "publish" && (args[0] as SealedEvent[])[0]?.type === "books.closed";
    if (fault.on && isBooks) throw new Error("the bus is throttled");
  });
  return fault;
}

// R29
describe("closed books are told", () => {
  it("with each response in its class, and a digest by which a consumer sees that it has everything", async () => {
    const world = worldWith(listed);
    await poll(world, { listedCount: 31 });

    const [told] = toldOf(world);
    expect(toldOf(world)).toHaveLength(1);
    expect(told?.meta).toMatchObject({ sequence: 1, previous: null, sourceName: "main" });
    expect(told?.data).toMatchObject({ surveyId: 1, from: null, passes: 1, deficit: 1 });
    expect(told?.data.counts).toMatchObject({ listed: 30, emitted: 30, waiting: 0, open: 0 });
    expect(verifyBooks(idsOf(world), told as BooksClosed)).toEqual({ kind: "complete" });
    expect(verifyBooks(idsOf(world).slice(1), told as BooksClosed)).toEqual({ kind: "missing", count: 1 });
  });

  it("once, and again when they say something else, as the next link of a chain", async () => {
    const world = worldWith(listed);
    await poll(world);
    world.time.now += MINUTE;
    await poll(world);
    expect(toldOf(world)).toHaveLength(1);

    arrive(world, { responseId: 31, completed: at(MINUTE) });
    world.time.now += MINUTE;
    await poll(world);
    const [first, second] = toldOf(world);
    expect(toldOf(world)).toHaveLength(2);
    expect(second?.meta).toMatchObject({ sequence: 2, previous: first?.meta.eventId });
    expect(verifyBooks(idsOf(world), second as BooksClosed)).toEqual({ kind: "complete" });
  });

  it("once more when they have closed a second time without news: one pass cannot see two changes that cancel each other", async () => {
    const world = worldWith(listed);
    await poll(world);
    for (let pass = 0; pass < 3; pass += 1) await fullPass(world);
    expect(toldOf(world).map(({ data }) => data.passes)).toEqual([1, 2]);
  });

  it("with the events of responses that are listed no more", async () => {
    const world = worldWith(listed);
    await poll(world);
    surveyOf(world).records.splice(0, 2);
    await fullPass(world);

    const told = toldOf(world).at(-1);
    expect(told?.data.counts).toMatchObject({ listed: 29, emitted: 29 });
    expect(told?.data.digest).toEqual(toldOf(world)[0]?.data.digest);
  });

  it("by a later poll where the bus did not take them: under the same id, with the same contents", async () => {
    const world = worldWith(listed);
    const fault = failBooks(world);
    await expect(poll(world)).rejects.toThrow("the bus is throttled");
    expect(toldOf(world)).toEqual([]);
    const untold = world.mark(1).untold?.detail as BooksClosed;

    fault.on = false;
    arrive(world, { responseId: 31, completed: at(MINUTE) });
    world.time.now += MINUTE;
    await poll(world);
    expect(toldOf(world).map(({ meta }) => meta.sequence)).toEqual([1, 2]);
    expect(toldOf(world)[0]).toEqual(untold);
  });
});
