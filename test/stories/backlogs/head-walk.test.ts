import { describe, expect, it } from "vitest";
import { openTo, placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  complete,
  deliveredIds,
  MINUTE,
  pagesRead,
  poll,
  polled,
  range,
  replace,
  SECOND,
  sorted,
  sortedIds,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

/** Ends the process at the nth time an operation is done. */
function crashAfter(world: MemoryWorld, operation: string, nth: number): { dead: boolean } {
  const process = { dead: false };
  let done = 0;
  const die = (): void => {
    if (process.dead) throw new Error("the process is no more");
  };
  world.after.push((call) => {
    if (call.operation === operation) done += 1;
    process.dead ||= call.operation === operation && done === nth;
    die();
  });
  world.before.push(die);
  return process;
}

describe("a head walk", () => {
  it("reads one page when there is nothing new, and stops at the first page without news", async () => {
    const world = worldWith(complete(1, 100, 10));
    await poll(world);
    world.calls.length = 0;

    await poll(world);
    expect(pagesRead(world)).toEqual(["desc/1"]);

    world.calls.length = 0;
    for (const response of complete(101, 112, 10)) arrive(world, response);
    await poll(world);
    // Two pages hold news; page 1 is read again to prove the seam.
    expect(sortedIds(world)).toEqual(range(1, 112));
    expect(new Set(pagesRead(world))).toEqual(new Set(["desc/1", "desc/2", "desc/3"]));
  });

  it("emits up to headPages pages of news oldest first, as one backlog", async () => {
    const world = worldWith(complete(1, 100, 10));
    await poll(world);
    world.delivered.length = 0;
    for (const response of complete(101, 150, 10)) arrive(world, response);

    await poll(world, { source: { headPages: 6 } });

    expect(deliveredIds(world)).toEqual(range(101, 150));
    expect(world.delivered.every(({ meta }) => meta.origin === "head")).toBe(true);
  });
});

describe("a head walk that is cut short after part of its news was published", () => {
  it.each([1, 2, 3, 4])(
    "(publish %i) is made good: also where what is newest in the list went out first",
    async (nth) => {
      const world = worldWith(complete(1, 100, 10));
      await poll(world);
      world.delivered.length = 0;
      // The dates run against the order of the list: the oldest ones, which go out first, stand on page 1.
      for (const { responseId } of complete(101, 145, 10)) {
        arrive(world, { responseId, completed: at((1_000 - responseId) * SECOND), size: 10 });
      }
      const process = crashAfter(world, "publish", nth);
      await expect(poll(world)).rejects.toThrow("no more");

      process.dead = false;
      world.time.now += 60 * SECOND;
      await poll(world);

      expect(sorted([...new Set(deliveredIds(world))])).toEqual(range(101, 145));
      expect(deliveredIds(world).length).toBeLessThanOrEqual(55);
    },
  );
});

describe("a head walk after one that was cut short", () => {
  /** The first publish of so many news was the last thing done; all of them stood above 200 settled ones. */
  async function cutShort(news: number): Promise<MemoryWorld> {
    const world = worldWith(complete(1, 200, 10));
    await poll(world);
    for (const response of complete(201, 200 + news, 10)) arrive(world, response);
    const process = crashAfter(world, "publish", 1);
    await expect(poll(world)).rejects.toThrow("no more");
    process.dead = false;
    world.time.now += MINUTE;
    world.calls.length = 0;
    return world;
  }

  it("reads as deep as that one and no further, also where what stood there is listed no more", async () => {
    const world = await cutShort(1);
    surveyOf(world).records.splice(190 * 10, 100);
    arrive(world, { responseId: 202, completed: at(202 * SECOND), size: 10 });

    await poll(world);

    expect(openTo(world.mark(1))).toBeUndefined();
    expect(sorted([...new Set(deliveredIds(world))])).toEqual(range(1, 202));
    expect(Math.max(...pagesRead(world).map((page) => Number(page.slice(5))))).toBeLessThanOrEqual(5);
  });

  it("comes to its end where no poll has time for that depth: it is caught up from page 1", async () => {
    const world = await cutShort(150);
    takes(world, 8 * SECOND, ({ operation }) => operation === "page");
    const isOpen = (): boolean => openTo(world.mark(1)) !== undefined || placeOf(world.mark(1)) !== undefined;
    for (let polls = 0; isOpen() && polls < 80; polls += 1) await poll(world);

    expect(isOpen()).toBe(false);
    expect(sorted([...new Set(deliveredIds(world))])).toEqual(range(1, 350));
    expect(deliveredIds(world).length).toBeLessThanOrEqual(360);
  });
});

describe("a backlog deeper than headPages", () => {
  const source = { headPages: 3 };

  it("is streamed in asc order from where it begins, neither from the first page nor held", async () => {
    const world = worldWith(complete(1, 300, 10));
    await poll(world);
    world.delivered.length = 0;
    world.calls.length = 0;
    for (const response of complete(301, 420, 10)) arrive(world, response);

    const { counts } = await polled(world, { source });

    expect(sortedIds(world)).toEqual(range(301, 420));
    expect(deliveredIds(world)).toEqual(range(301, 420));
    expect(counts).toMatchObject({ emitted: 120, unfinished: false });
    expect(world.delivered[0]?.meta.origin).toBe("catch-up");
    const streamed = pagesRead(world).filter((page) => page.startsWith("asc/"));
    expect(streamed).not.toContain("asc/1");
    expect(streamed).not.toContain("asc/20");
  });

  it("is whole though responses arrive, and pages shift, while its beginning is looked for", async () => {
    const open = range(271, 300).map((responseId) => ({ responseId, size: 10 }));
    const world = worldWith([...complete(1, 270, 10), ...open]);
    await poll(world);
    expect(deliveredIds(world)).toHaveLength(270);
    world.delivered.length = 0;
    for (const response of complete(271, 300, 10)) replace(world, response);
    for (const response of complete(301, 420, 10)) arrive(world, response);
    let arrived = false;
    world.before.push(({ operation, args }) => {
      if (arrived || operation !== "page" || args[2] !== "asc") return;
      arrived = true;
      for (const response of complete(421, 445, 10)) arrive(world, response);
    });

    await poll(world, { source });

    expect(arrived).toBe(true);
    expect(sortedIds(world)).toEqual(range(271, 445));
  });

  it("that is cut off inside a response of several pages goes on from its first record", async () => {
    const world = worldWith([
      ...complete(1, 20, 10),
      { responseId: 21, completed: at(21 * SECOND), size: 450 },
      ...complete(22, 60, 10),
    ]);
    takes(world, 3 * SECOND, ({ operation }) => operation === "page");
    for (let polls = 0; polls < 30 && world.mark(1).phase.kind !== "head"; polls += 1) await poll(world);

    expect(deliveredIds(world)).toEqual(range(1, 60));
    expect(world.delivered[20]?.data.answers).toHaveLength(450);
  });
});
