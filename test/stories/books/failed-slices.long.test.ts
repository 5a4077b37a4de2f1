import { describe, expect, it } from "vitest";
import { Failure } from "../../support/failing.ts";
import type { MemoryWorld, PortCall } from "../../support/memory-ports.ts";
import { closedBooks, DAY, fullPass, fullPassesOnly, ticksUntil, truthOf } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = fullPassesOnly;
const SIZE = 25;

/** Thirteen pages of settled responses, more than one slice; two more, of which one stands across a page edge, that only a full pass meets. */
async function worldToRead(): Promise<MemoryWorld> {
  const world = worldWith(range(1, 50).map((responseId) => ({ responseId, completed: at(-HOUR), size: SIZE })));
  await runTick(world, { source: { ...source, enrich: { metrics: false, metadata: false } } });
  const { records } = surveyOf(world);
  records.splice(SIZE * 44, 0, ...recordsOf({ responseId: 900, completed: at(0), size: SIZE }));
  records.splice(SIZE * 10, 0, ...recordsOf({ responseId: 901, completed: at(0), size: SIZE + 10 }));
  world.time.now += 2 * DAY;
  world.calls.length = 0;
  return world;
}

/** Ticks until a full pass has closed the books; a tick that fails as a whole is followed by the next one. */
async function ticksToTheEnd(world: MemoryWorld): Promise<void> {
  const { books } = world.mark(1);
  for (let tick = 0; tick < 600; tick += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source }).catch(() => undefined);
    const mark = world.mark(1);
    if (mark.books?.closedAt !== books?.closedAt) return;
    // Where a pass has left something, another one follows.
    if (mark.pass === undefined) world.time.now = Math.max(world.time.now, mark.nextPass ?? 0);
  }
  throw new Error("the books are not closed");
}

const named = ({ port, operation }: PortCall): string => `${port}.${operation}`;

/** Calls of a full pass during which nothing fails. */
async function callsOfPass(): Promise<string[]> {
  const world = await worldToRead();
  await ticksToTheEnd(world);
  return world.calls.map(named);
}

describe("a full pass one of whose slices fails", () => {
  it.each(["before", "after"] as const)(
    "%s any one of its calls had an effect goes on, loses nothing, and closes its books right",
    async (when) => {
      const calls = await callsOfPass();
      expect(calls.length).toBeGreaterThan(40);
      for (const [index, name] of calls.entries()) {
        const world = await worldToRead();
        let count = 0;
        world[when].push(() => {
          count += 1;
          if (count === index + 1) throw new Failure("once");
        });
        await ticksToTheEnd(world);
        // What waits for its metrics goes out within minutes, and so does what nobody was told of the books.
        const isLeft = (): boolean =>
          world.mark(1).untold !== undefined || world.entries(1).some(({ state }) => state === "waiting");
        await ticksUntil(world, () => !isLeft(), { source });

        const found = deliveredIds(world).slice(50);
        const told = world.told.map(({ detail }) => detail.meta.eventId);
        const repeats = found.length - new Set(found).size + told.length - new Set(told).size;
        expect([index, name, new Set(found)]).toEqual([index, name, new Set([900, 901])]);
        // Only where nobody knows whether the bus took an event may it be sent twice.
        expect([index, name, repeats]).toEqual([index, name, when === "after" && name === "publisher.publish" ? 1 : 0]);
        expect([index, name, world.mark(1).booksOpen]).toEqual([index, name, undefined]);
        // Each in the class it had at the end of the pass: one whose metrics failed then was waiting.
        const { listed, emitted, waiting } = closedBooks(world);
        expect([index, name, listed, emitted + waiting]).toEqual([index, name, 52, 52]);
        for (const { data } of world.delivered)
          expect(data.answers).toHaveLength(data.responseId === 901 ? SIZE + 10 : SIZE);
      }
    },
  );

  it("at every seventh page that it asks for emits what is there, and closes the books once that is over", async () => {
    const world = await worldToRead();
    let count = 0;
    world.before.push(({ port, operation }) => {
      if (port !== "service" || operation !== "page") return;
      count += 1;
      if (count % 7 === 0 && count < 700) throw new Failure("again");
    });
    await ticksUntil(world, () => new Set(deliveredIds(world)).size === 52, { source });
    expect(count).toBeLessThan(700);
    await ticksToTheEnd(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: 52 });
  });

  it("does not count twice what the failed slice had counted", async () => {
    const world = await worldToRead();
    let failures = 0;
    world.before.push(({ operation, args }) => {
      const isThird = operation === "page" && args[1] === 3 && args[2] === "asc";
      if (isThird && failures < 2) {
        failures += 1;
        throw new Failure("page 3");
      }
    });
    await ticksToTheEnd(world);
    expect(failures).toBe(2);
    expect(closedBooks(world)).toMatchObject({ listed: 52, emitted: 52, found: 2, gone: 0, moved: false });
  });
});

describe("the ids of a pass that are lost in the vault", () => {
  /** Enough ids, far enough apart, that they do not fit the mark. */
  const many = range(1, 600).map((id) => ({ responseId: id * 1_000, completed: at(-HOUR) }));

  it("while it runs let it begin again, and its books are right", async () => {
    const world = worldWith(many);
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    await fullPass(world);
    const { startedAt } = closedBooks(world);
    world.time.now = startedAt + DAY;
    await ticksUntil(world, () => (world.mark(1).pass?.page ?? 0) >= 6, { source });
    const lost = [...world.objects.keys()].filter((key) => key.endsWith("-pass.json"));
    expect(lost).toHaveLength(1);
    for (const key of lost) world.objects.delete(key);
    const begun = world.mark(1).pass?.startedAt ?? 0;
    await ticksUntil(world, () => world.mark(1).books?.startedAt !== startedAt, { source });

    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 600, gone: 0 });
    expect(closedBooks(world).startedAt).toBeGreaterThan(begun);
    expect(deliveredIds(world)).toHaveLength(600);
  });

  it("after it ended forget only what is gone: the next pass counts from itself on", async () => {
    const world = worldWith(many);
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    await fullPass(world);
    world.objects.clear();
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), gone: 0 });
    surveyOf(world).records = surveyOf(world).records.slice(20);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 590, gone: 10 });
  });

  it("cannot be written: the slice is made again, and nothing of it is counted twice", async () => {
    const world = worldWith(many);
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    let failures = 0;
    world.before.push(({ port, operation }) => {
      if (port !== "vault" || operation !== "put" || failures >= 3) return;
      failures += 1;
      throw new Failure("no vault");
    });
    await fullPass(world);
    expect(failures).toBe(3);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 600, found: 0, changed: 0 });
  });
});
