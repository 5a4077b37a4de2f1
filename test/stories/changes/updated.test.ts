import { describe, expect, it } from "vitest";
import type { ContentsEvent, PollingSource } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly, ticksUntil } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  pagesRead,
  type ResponseSpec,
  range,
  replace,
  runTick,
  SECOND,
  worldWith,
} from "../../support/survey.ts";

const one = (responseId: number): ResponseSpec => ({ responseId, completed: at(-responseId * SECOND), size: 3 });
const listed = range(1, 100).map(one);

/** Nothing waits for the budget. */
const source = { ...fullPassesOnly, backgroundRequests: 100 };

type Update = Extract<ContentsEvent, { type: "response.updated" }>["detail"];

/** The updates that the bus has, in the order in which they came. */
const updatesOf = (world: MemoryWorld): Update[] =>
  world.delivered.filter((event): event is Update => event.meta.revision > 1);

/** A world whose responses have all gone out. */
async function worldTold(): Promise<MemoryWorld> {
  const world = worldWith(listed);
  await runTick(world, { source });
  expect(deliveredIds(world)).toHaveLength(100);
  return world;
}

const edit = (world: MemoryWorld, responseId: number, fields: Record<string, unknown>): void =>
  replace(world, { ...one(responseId), fields });

/** Ticks, a minute apart. */
async function ticks(world: MemoryWorld, count: number, wanted: Partial<PollingSource> = source): Promise<void> {
  let ticked = 0;
  await ticksUntil(world, () => ++ticked === count, { source: wanted });
}

/** Lets a full pass see a change, up to where that is to be read again. */
async function untilSeen(world: MemoryWorld): Promise<void> {
  world.time.now = Math.max(world.time.now, world.mark(1).nextPass ?? 0);
  await ticksUntil(world, () => world.mark(1).changes !== undefined, { source });
}

// R20
describe("a response that has changed after its event", () => {
  it.each([
    ["an answer", (world: MemoryWorld) => edit(world, 34, { score: 9 }), ["answers"]],
    ["the inviter's key", (world: MemoryWorld) => edit(world, 34, { crk: "other" }), ["facts"]],
    ["a record that is gone", (world: MemoryWorld) => replace(world, { ...one(34), size: 2 }), ["answers", "records"]],
  ])("is told once it reads the same twice, a minute apart: %s", async (_what, change, changed) => {
    const world = await worldTold();
    const [first] = world.delivered.filter(({ data }) => data.responseId === 34);
    change(world);
    await untilSeen(world);
    const seen = world.time.now;
    expect(updatesOf(world)).toEqual([]);

    await ticks(world, 1);
    expect(updatesOf(world)).toHaveLength(1);
    const [{ meta, data } = {} as Update] = updatesOf(world);
    expect(meta).toMatchObject({ revision: 2, replaces: first?.meta.eventId, changed });
    expect(data).toMatchObject({ responseId: 34, observedAt: new Date(seen).toISOString() });

    await fullPass(world, { source });
    await fullPass(world, { source });
    expect(updatesOf(world)).toHaveLength(1);
    expect(closedBooks(world)).toMatchObject({ listed: 100, emitted: 100, changed: 0 });
  });

  it("is not told where it reads as its event again a minute later", async () => {
    const world = await worldTold();
    edit(world, 34, { score: 9 });
    await untilSeen(world);
    replace(world, one(34));
    await ticks(world, 3);
    await fullPass(world, { source });
    expect(updatesOf(world)).toEqual([]);
    expect(world.mark(1).changes).toBeUndefined();
  });

  it("is told of what it is at last, where it changes again in that minute", async () => {
    const world = await worldTold();
    edit(world, 34, { score: 9 });
    await untilSeen(world);
    edit(world, 34, { score: 10 });
    await ticks(world, 5);
    expect(updatesOf(world).map(({ data }) => data.answers[0]?.score)).toEqual([10]);
  });

  it("is not told, but counted, where the source does not want it", async () => {
    const world = await worldTold();
    const without = { ...source, events: new Set(["response.completed", "books.closed"] as const) };
    edit(world, 34, { score: 9 });
    await fullPass(world, { source: without });
    await ticks(world, 3, without);
    expect(updatesOf(world)).toEqual([]);
    expect(closedBooks(world)).toMatchObject({ changed: 1 });
  });
});

describe("answers that never read the same twice", () => {
  it("hide no change of the facts, and are soon not looked at again", async () => {
    const world = await worldTold();
    let reads = 0;
    const between = (): void => {
      reads += 1;
      edit(world, 7, { score: reads });
      edit(world, 34, { score: reads, crk: "new" });
    };
    for (let pass = 0; pass < 5; pass += 1) {
      await fullPass(world, { source, between });
      for (let tick = 0; tick < 5; tick += 1) await ticksUntil(world, () => true, { source, between });
    }
    const told = updatesOf(world);
    expect(new Set(told.map(({ data }) => data.responseId))).toEqual(new Set([34]));
    expect(told[0]?.meta.changed).toEqual(["facts"]);
    expect(told[0]?.data.response.crk).toBe("new");
    world.calls.length = 0;
    await ticks(world, 5);
    expect(pagesRead(world)).toEqual([]);
  });
});

// R19
describe("an update of which nobody knows whether the bus took it", () => {
  /** A world in which the first update is published, however often, and no answer comes. */
  async function worldUnknown(): Promise<MemoryWorld> {
    const world = await worldTold();
    edit(world, 34, { score: 9 });
    await untilSeen(world);
    const fault = { on: true };
    world.after.push(({ operation }) => {
      if (operation === "publish" && fault.on) throw new Error("no answer");
    });
    await ticks(world, 1);
    fault.on = false;
    world.delivered.splice(101);
    expect(updatesOf(world)).toHaveLength(1);
    expect(world.entry(1, 34)).toMatchObject({ revision: 1, next: { revision: 2 } });
    return world;
  }

  it("comes again under the same id where the response has not changed since", async () => {
    const world = await worldUnknown();
    await fullPass(world, { source });
    await ticks(world, 3);
    const [first, second] = updatesOf(world);
    expect(updatesOf(world)).toHaveLength(2);
    expect(second?.meta.eventId).toBe(first?.meta.eventId);
    expect(second?.data.answers).toEqual(first?.data.answers);
  });

  it("is followed by a later revision where the response has changed since: no revision says two things", async () => {
    const world = await worldUnknown();
    edit(world, 34, { score: 10 });
    await fullPass(world, { source });
    await ticks(world, 3);
    expect(updatesOf(world).map(({ meta, data }) => [meta.revision, data.answers[0]?.score])).toEqual([
      [2, 9],
      [3, 10],
    ]);
  });
});
