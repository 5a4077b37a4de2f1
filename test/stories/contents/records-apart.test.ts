import { describe, expect, it } from "vitest";
import { byQuestion, complete, rowsOf, withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, scrub, scrubsOnly, ticksUntil, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  surveyOf,
  takes,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const source = scrubsOnly;
const sizes = (world: MemoryWorld): Map<number, number> =>
  new Map(world.delivered.map(({ data }) => [data.responseId, data.answers.length]));
const revisionsOf = (world: MemoryWorld, responseId: number): [number, number][] =>
  world.delivered
    .filter(({ data }) => data.responseId === responseId)
    .map(({ meta, data }) => [meta.revision, data.answers.length]);

describe("records that lie apart while operation 9 gives nothing", () => {
  it.each([90, 200])("are joined whole, each response once: %i responses of 3", async (count) => {
    const world = worldWith(complete(range(1, count)));
    byQuestion(world);
    withoutOperation9(world);
    await ticksUntil(world, () => deliveredIds(world).length >= count, { source });

    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, count));
    expect(new Set(sizes(world).values())).toEqual(new Set([3]));
    await scrub(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: count, emitted: count, repaired: 0 });
    expect(deliveredIds(world)).toHaveLength(count);
  });

  it("are joined once each in slices, though each slice reads again where the one before ended", async () => {
    const world = worldWith(complete(range(1, 35), 12));
    byQuestion(world);
    withoutOperation9(world);
    // Each page takes a second, and each poll has three.
    world.after.push(({ operation }) => {
      if (operation === "page") world.time.now += SECOND;
    });
    let slices = 0;
    for (let tick = 0; tick < 40 && world.delivered.length < 35; tick += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source, deadline: world.time.now + 3 * SECOND });
      if (world.mark(1).pass !== undefined) slices += 1;
    }
    expect(slices).toBeGreaterThan(2);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 35));
    expect(new Set(sizes(world).values())).toEqual(new Set([12]));
  });

  it("are joined in slices that do not go back for the beginning of what is cut, of which all end in time", async () => {
    const count = 1_200;
    const world = worldWith(complete(range(1, count), 2));
    byQuestion(world);
    withoutOperation9(world);
    let reads = 0;
    takes(world, SECOND, ({ operation }) => operation === "page");
    world.after.push(({ operation }) => {
      if (operation === "page") reads += 1;
    });
    let most = 0;
    for (let tick = 0; tick < 60 && world.delivered.length < count; tick += 1) {
      world.time.now += MINUTE;
      reads = 0;
      // The stream of the first poll reads ahead, several pages at a time.
      const isFirst = world.mark(1).stream !== undefined || tick === 0;
      const enrich = { metrics: false, metadata: false };
      await runTick(world, { source: { ...source, enrich }, deadline: world.time.now + 20 * SECOND });
      if (!isFirst) most = Math.max(most, reads);
    }
    // The time is enough for twenty.
    expect(most).toBeLessThan(30);
    // Of operation 9, which says nothing, no more is asked than it takes to know that.
    expect(timesCalled(world, "service", "response")).toBeLessThan(60);
    expect([...sizes(world)].toSorted(([a], [b]) => a - b)).toEqual(range(1, count).map((id) => [id, 2]));
  });

  it.each([true, false])(
    "are left to the next pass if they complete between two slices; counted: %s",
    async (counted) => {
      const late = 120;
      const all = complete(range(1, 200)).map((one) => (one.responseId === late ? { responseId: late, size: 3 } : one));
      const world = worldWith(all);
      byQuestion(world);
      withoutOperation9(world);
      await ticksUntil(world, () => world.delivered.length >= 199, { source });
      await scrub(world);
      world.time.now = Math.max(world.time.now, world.mark(1).nextPass ?? 0);
      await ticksUntil(world, () => world.mark(1).pass?.page === 5, { source });
      for (const row of rowsOf(world).filter(({ responseId }) => responseId === late))
        Object.assign(row, { completed: 1, dateCompleted: at(MINUTE) });
      if (counted) surveyOf(world).counts.responses = 201;
      await ticksUntil(world, () => deliveredIds(world).includes(late), { source });
      await scrub(world);
      expect(revisionsOf(world, late)).toEqual([[1, 3]]);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 200, emitted: 200 });
    },
  );

  it("are joined whole as they come, also to the last response that arrives", async () => {
    const world = worldWith(complete(range(1, 60)));
    byQuestion(world);
    withoutOperation9(world);
    await ticksUntil(world, () => deliveredIds(world).length >= 60, { source });
    for (const responseId of range(61, 70)) {
      arrive(world, { responseId, completed: at(responseId * SECOND), size: 3 });
      byQuestion(world);
      withoutOperation9(world);
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
    await ticksUntil(world, () => deliveredIds(world).length >= 70, { source }, 20);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 70));
    expect(new Set(sizes(world).values())).toEqual(new Set([3]));
  });

  it("go out in as many parts as they are joined in, though each poll has spent its time before", async () => {
    const count = 4;
    const world = worldWith(complete(range(1, count), 1_300));
    byQuestion(world);
    withoutOperation9(world);
    let slow = "publish";
    world.after.push(({ operation }) => {
      if (operation === slow) world.time.now += MINUTE;
    });
    await runTick(world, { source });
    expect(new Set(deliveredIds(world)).size).toBeLessThan(count);
    slow = "page";
    await ticksUntil(world, () => deliveredIds(world).length >= count, { source }, 10);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, count));
    expect(new Set(sizes(world).values())).toEqual(new Set([1_300]));
  });

  it("leave nothing in the vault once they are out but the ids of the last pass", async () => {
    const world = worldWith(complete(range(1, 90)));
    byQuestion(world);
    withoutOperation9(world);
    await ticksUntil(world, () => deliveredIds(world).length >= 90, { source });
    await scrub(world);
    expect([...world.objects.keys()].filter((key) => key.startsWith("pass/"))).toEqual([]);
  });
});

describe("an event that was short because a record lay apart", () => {
  /** Responses of 3 records, emitted whole; then a fourth record of these is listed after all others. */
  async function grown(ids: number[], count = 100): Promise<MemoryWorld> {
    const world = worldWith(complete(range(1, count)));
    withoutOperation9(world);
    await ticksUntil(world, () => deliveredIds(world).length >= count, { source });
    for (const responseId of ids) {
      const fourth = recordsOf({ responseId, completed: at(responseId * SECOND), size: 4 }).slice(3);
      surveyOf(world).records.push(...fourth);
    }
    return world;
  }

  /** The first scrub sees that records lie apart, the second one which are short, and the third joins them. */
  async function scrubUntil(world: MemoryWorld, done: () => boolean, by = source): Promise<void> {
    for (let scrubs = 0; scrubs < 3 && !done(); scrubs += 1) await scrub(world, { source: by });
    expect(done()).toBe(true);
  }

  it("is replaced by a second revision with all of them, which names it", async () => {
    const world = await grown([5, 50]);
    const first = world.delivered.find(({ data }) => data.responseId === 5);
    await scrubUntil(world, () => revisionsOf(world, 5).length > 1 && revisionsOf(world, 50).length > 1);

    expect(revisionsOf(world, 5)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(revisionsOf(world, 50)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    const second = world.delivered.findLast(({ data }) => data.responseId === 5);
    expect(second?.meta.replaces).toBe(first?.meta.eventId);
    expect(second?.meta.eventId).not.toBe(first?.meta.eventId);
    expect(world.entry(1, 5)).toMatchObject({ state: "emitted", revision: 2, count: 4 });
  });

  it.each([
    ["is the very last of the list", 100, [5]],
    ["is listed hundreds of responses behind the others", 700, [5, 6]],
  ])("is replaced where a pass in one go has met that the record %s", async (_, count, ids) => {
    const world = await grown(ids, count);
    await scrubUntil(world, () => revisionsOf(world, 5).length > 1, { ...source, backgroundRequests: 100 });
    expect(revisionsOf(world, 5)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it("is replaced once, and the books close again", async () => {
    const world = await grown([5]);
    await scrubUntil(world, () => revisionsOf(world, 5).length > 1);
    for (const _ of [1, 2]) await scrub(world);
    expect(revisionsOf(world, 5)).toHaveLength(2);
    expect(deliveredIds(world)).toHaveLength(101);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), repaired: 0, listed: 100, emitted: 100 });
    expect(world.mark(1).short).toBeUndefined();
  });

  it("is replaced where operation 9 gives the whole response, with the facts of the list", async () => {
    const world = worldWith(complete(range(1, 100)));
    for (const spec of complete(range(1, 100), 4)) {
      surveyOf(world).single.set(spec.responseId, { kind: "found", body: recordsOf({ ...spec, size: 3 }) });
    }
    await runTick(world, { source: { ...source, startFrom: "beginning" } });
    replace(world, { responseId: 7, completed: at(7 * SECOND), size: 4 });
    surveyOf(world).single.set(7, { kind: "found", body: recordsOf({ responseId: 7, completed: at(7_000), size: 4 }) });
    await scrub(world);
    expect(revisionsOf(world, 7)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(world.delivered.at(-1)?.data.response.completed.local).toBe(at(7 * SECOND));
  });
});
