import { describe, expect, it } from "vitest";
import { openTo, placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  pagesRead,
  poll,
  polled,
  type ResponseSpec,
  range,
  replace,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

/** 10 records each: ten responses a page. */
const complete = (from: number, to: number): ResponseSpec[] =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 }));

const sorted = (ids: number[]): number[] => [...ids].sort((a, b) => a - b);

it("a backlog is read no further than what is on its way to the bus, however long that takes", async () => {
  const world = worldWith(complete(1, 3_000));
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  world.before.push(async ({ operation }) => {
    if (operation === "publish") await gate;
  });
  const polling = poll(world, { source: { concurrency: 16 } });
  for (const _ of range(1, 2_000)) await new Promise((resolve) => setImmediate(resolve));
  // Of 300 pages those with 48 responses, three for each request that may be in flight, what is read ahead, and their proofs.
  expect(pagesRead(world).length).toBeGreaterThan(5);
  expect(pagesRead(world).length).toBeLessThan(60);
  open();
  await polling;
  expect(sorted(deliveredIds(world))).toEqual(range(1, 3_000));
});

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
    const world = worldWith(complete(1, 100));
    await poll(world);
    world.calls.length = 0;

    await poll(world);
    expect(pagesRead(world)).toEqual(["desc/1"]);

    world.calls.length = 0;
    for (const response of complete(101, 112)) arrive(world, response);
    await poll(world);
    // Two pages hold news; page 1 is read again to prove the seam.
    expect(sorted(deliveredIds(world))).toEqual(range(1, 112));
    expect(new Set(pagesRead(world))).toEqual(new Set(["desc/1", "desc/2", "desc/3"]));
  });

  // However little time a poll has, something gets done in it.
  it.each([1, 12, 20])("emits its news though each page takes %i s, of the 40 s that a poll has", async (seconds) => {
    const world = worldWith(complete(1, 30));
    await poll(world);
    world.delivered.length = 0;
    takes(world, seconds * SECOND, ({ operation }) => operation === "page");
    for (const response of complete(31, 45)) arrive(world, response);
    for (let polls = 0; polls < 10; polls += 1) {
      await poll(world);
      world.time.now += MINUTE;
    }
    expect(sorted(deliveredIds(world))).toEqual(range(31, 45));
  });

  it("emits up to headPages pages of news oldest first, as one backlog", async () => {
    const world = worldWith(complete(1, 100));
    await poll(world);
    world.delivered.length = 0;
    for (const response of complete(101, 150)) arrive(world, response);

    await poll(world, { source: { headPages: 6 } });

    expect(deliveredIds(world)).toEqual(range(101, 150));
    expect(world.delivered.every(({ meta }) => meta.origin === "head")).toBe(true);
  });
});

describe("a head walk that is cut short after part of its news was published", () => {
  it.each([1, 2, 3, 4])(
    "(publish %i) is made good: also where what is newest in the list went out first",
    async (nth) => {
      const world = worldWith(complete(1, 100));
      await poll(world);
      world.delivered.length = 0;
      // The dates run against the order of the list: the oldest ones, which go out first, stand on page 1.
      for (const { responseId } of complete(101, 145)) {
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
    const world = worldWith(complete(1, 200));
    await poll(world);
    for (const response of complete(201, 200 + news)) arrive(world, response);
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

  it("is left to the next poll where this one came late", async () => {
    const world = await cutShort(1);
    takes(world, SECOND, ({ operation }) => operation === "page");
    for (let polls = 0; polls < 3; polls += 1) await poll(world, { deadline: world.time.now + SECOND / 2 });

    expect(placeOf(world.mark(1))).toBeUndefined();
    await poll(world, { deadline: world.time.now + 5 * MINUTE });
    expect(openTo(world.mark(1))).toBeUndefined();
  });
});

describe("a backlog deeper than headPages", () => {
  const source = { headPages: 3 };

  it("is streamed in asc order from where it begins, neither from the first page nor held", async () => {
    const world = worldWith(complete(1, 300));
    await poll(world);
    world.delivered.length = 0;
    world.calls.length = 0;
    for (const response of complete(301, 420)) arrive(world, response);

    const { counts } = await polled(world, { source });

    expect(sorted(deliveredIds(world))).toEqual(range(301, 420));
    expect(deliveredIds(world)).toEqual(range(301, 420));
    expect(counts).toMatchObject({ emitted: 120, unfinished: false });
    expect(world.delivered[0]?.meta.origin).toBe("catch-up");
    const streamed = pagesRead(world).filter((page) => page.startsWith("asc/"));
    expect(streamed).not.toContain("asc/1");
    expect(streamed).not.toContain("asc/20");
  });

  it("begins a few pages before its oldest news, not where the quiet pages below have ended", async () => {
    const world = worldWith(complete(1, 300));
    await poll(world);
    world.progress.length = 0;
    for (const response of complete(301, 420)) arrive(world, response);

    await poll(world, { source: { headPages: 6 } });

    // Without the look-ups that have told how long the list is.
    const caughtUp = world.progress.flatMap((one) => (one.kind === "page" && one.order === "asc" ? [one.page] : []));
    // The first of them are on page 31.
    expect(Math.min(...caughtUp)).toBe(28);
  });

  it("is whole though responses arrive, and pages shift, while its beginning is looked for", async () => {
    const open = range(271, 300).map((responseId) => ({ responseId, size: 10 }));
    const world = worldWith([...complete(1, 270), ...open]);
    await poll(world);
    expect(deliveredIds(world)).toHaveLength(270);
    world.delivered.length = 0;
    for (const response of complete(271, 300)) replace(world, response);
    for (const response of complete(301, 420)) arrive(world, response);
    let arrived = false;
    world.before.push(({ operation, args }) => {
      if (arrived || operation !== "page" || args[2] !== "asc") return;
      arrived = true;
      for (const response of complete(421, 445)) arrive(world, response);
    });

    await poll(world, { source });

    expect(arrived).toBe(true);
    expect(sorted(deliveredIds(world))).toEqual(range(271, 445));
  });

  it("is found also where settled responses stand between the new ones", async () => {
    const world = worldWith(complete(1, 200));
    await poll(world);
    world.delivered.length = 0;
    // New ones in the middle of old pages, and a deep backlog at the head.
    surveyOf(world).records.splice(1_500, 0, ...worldRecords(complete(900, 905)));
    for (const response of complete(301, 360)) arrive(world, response);

    await poll(world, { source });

    expect(sorted(deliveredIds(world))).toEqual([...range(301, 360)]);

    function worldRecords(responses: ResponseSpec[]): unknown[] {
      return surveyOf(worldWith(responses)).records;
    }
  });

  it("goes on after a crash in the middle of it: none is lost, and at most one batch comes twice", async () => {
    for (const nth of [1, 2, 5, 9]) {
      const world = worldWith(complete(1, 100));
      await poll(world);
      world.delivered.length = 0;
      for (const response of complete(101, 220)) arrive(world, response);
      const process = crashAfter(world, "publish", nth);
      await expect(poll(world, { source })).rejects.toThrow("no more");
      expect(deliveredIds(world).length).toBeLessThan(120);

      process.dead = false;
      world.time.now += 60 * SECOND;
      await poll(world, { source });

      expect(sorted([...new Set(deliveredIds(world))])).toEqual(range(101, 220));
      expect(deliveredIds(world).length).toBeLessThanOrEqual(130);
    }
  });

  it("stops at the end of its time and goes on from there, however small the slices", async () => {
    const world = worldWith(complete(1, 150));
    takes(world, 8 * SECOND, ({ operation }) => operation === "page");
    let polls = 0;
    let unfinished = true;
    while (unfinished && polls < 40) {
      const result = await polled(world, { source });
      unfinished = result.counts.unfinished;
      if (unfinished) expect(result.dueAt).toBeLessThanOrEqual(world.time.now);
      polls += 1;
    }

    expect(polls).toBeGreaterThan(2);
    expect(deliveredIds(world)).toEqual(range(1, 150));
  });

  it("that is cut off inside a response of several pages goes on from its first record", async () => {
    const world = worldWith([
      ...complete(1, 20),
      { responseId: 21, completed: at(21 * SECOND), size: 450 },
      ...complete(22, 60),
    ]);
    takes(world, 3 * SECOND, ({ operation }) => operation === "page");
    for (let polls = 0; polls < 30 && world.mark(1).phase.kind !== "head"; polls += 1) await poll(world);

    expect(deliveredIds(world)).toEqual(range(1, 60));
    expect(world.delivered[20]?.data.answers).toHaveLength(450);
  });
});

/** Operation 9 has nothing of this response: its pages alone can show it. */
function onlyOnPages(world: MemoryWorld, responseId: number): void {
  surveyOf(world).single.set(responseId, { kind: "absent" });
}

// R6
describe("a response left for later because its pages did not hold still", () => {
  /** The list moves between any two reads while this is on: other responses of changing sizes come and go at its end. */
  function restless(world: MemoryWorld): { on: boolean; restore: () => void } {
    const before = [...surveyOf(world).records];
    const state = {
      on: true,
      restore: () => {
        state.on = false;
        surveyOf(world).records = [...before];
      },
    };
    let size = 0;
    world.before.push(({ operation }) => {
      if (!state.on || operation !== "page") return;
      size = (size % 7) + 1;
      const passing = surveyOf(worldWith([{ responseId: 9_000, completed: at(0), size }])).records;
      surveyOf(world).records = [...passing, ...before, ...passing];
    });
    return state;
  }

  it("at the head keeps the survey due", async () => {
    const world = worldWith(complete(1, 100));
    await poll(world);
    world.delivered.length = 0;
    arrive(world, { responseId: 101, completed: at(101 * SECOND), size: 150 });
    onlyOnPages(world, 101);
    const list = restless(world);

    const result = await polled(world);

    expect(deliveredIds(world)).not.toContain(101);
    expect(result.dueAt).toBeLessThanOrEqual(world.time.now);
    list.restore();
    await poll(world);
    expect(world.delivered.find(({ data }) => data.responseId === 101)?.data.answers).toHaveLength(150);
  });

  it("deep in a backlog goes out once the list holds still, without waiting for a full pass", async () => {
    const world = worldWith([
      ...complete(1, 40),
      { responseId: 41, completed: at(41 * SECOND), size: 150 },
      ...complete(42, 150),
    ]);
    onlyOnPages(world, 41);
    const list = restless(world);
    await poll(world);
    expect(deliveredIds(world)).not.toContain(41);

    list.restore();
    for (let polls = 0; polls < 3; polls += 1) await poll(world);

    expect(sorted(deliveredIds(world).filter((id) => id < 9_000))).toEqual(range(1, 150));
  });
});
