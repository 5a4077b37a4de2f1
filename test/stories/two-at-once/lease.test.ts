import { describe, expect, it } from "vitest";
import { at, deliveredIds, poll, range, SECOND, timesCalled, worldWith, worldWithNews } from "../../support/survey.ts";

const complete = (count: number) =>
  range(1, count).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 2 }));

// R27
describe("the lease", () => {
  it("is prolonged while the service keeps the poll waiting", async () => {
    const world = worldWith(complete(3));
    let other: unknown = "not asked";
    world.before.push(async ({ operation, args }) => {
      if (operation !== "metrics" || args[1] !== 3) return;
      for (let seconds = 0; seconds < 60; seconds += 5) {
        world.time.now += 5 * SECOND;
        await new Promise((resolve) => setImmediate(resolve));
      }
      other = await world.ports.state.acquire(1, "other", 15 * SECOND);
    });

    await poll(world, { deadline: Number.POSITIVE_INFINITY });

    expect(other).toBeUndefined();
    expect(deliveredIds(world)).toEqual([1, 2, 3]);
  });

  it("held by someone else leaves the survey alone", async () => {
    const world = worldWith(complete(1));
    await world.ports.state.acquire(1, "other", 15 * SECOND);

    expect(await poll(world)).toBeUndefined();
    expect(timesCalled(world, "service")).toBe(0);

    world.time.now += 16 * SECOND;
    expect(await poll(world)).toBeDefined();
  });

  it("is given back, so that the next poll begins at once", async () => {
    const world = worldWith(complete(1));
    await poll(world, { owner: "one" });
    expect(await poll(world, { owner: "two" })).toBeDefined();
  });

  it("lost to someone else before the publish stops the poll: nothing is sent", async () => {
    const world = await worldWithNews(complete(3));
    // A process that was frozen for 20 s: the other one was there before it could prolong anything.
    let frozen = false;
    world.before.push(async ({ operation, args }) => {
      if (operation === "renew" && frozen) await world.ports.state.acquire(1, "other", 15 * SECOND);
      if (operation !== "metadata" || args[1] !== 3) return;
      frozen = true;
      world.time.now += 20 * SECOND;
    });

    expect(await poll(world)).toBeUndefined();

    expect(deliveredIds(world)).toEqual([]);
    expect(world.entries(1)).toEqual([]);
  });

  it("that ran out while nobody took it is prolonged before the publish", async () => {
    const world = worldWith(complete(3));
    world.before.push(({ operation }) => {
      if (operation === "metadata") world.time.now += 10 * SECOND;
    });

    await poll(world, { deadline: Number.POSITIVE_INFINITY });

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
    expect(timesCalled(world, "state", "renew")).toBeGreaterThan(0);
  });

  it("that is prolonged too slowly to be safe stops the poll", async () => {
    const world = worldWith(complete(3));
    world.before.push(({ operation }) => {
      if (operation === "metadata") world.time.now += 10 * SECOND;
    });
    world.after.push(({ operation }) => {
      if (operation === "renew") world.time.now += 11 * SECOND;
    });

    expect(await poll(world)).toBeUndefined();

    expect(deliveredIds(world)).toEqual([]);
  });

  it("lost after a publish takes no repair back that someone else has made meanwhile", async () => {
    const world = worldWith(complete(3));
    let frozen = false;
    world.before.push(async ({ operation }) => {
      // Whatever the frozen one does by the clock comes too late.
      if (frozen && operation === "renew") await new Promise((resolve) => setImmediate(resolve));
    });
    world.after.push(async ({ operation }) => {
      if (operation !== "publish") return;
      frozen = true;
      world.time.now += 20 * SECOND;
      await world.ports.state.acquire(1, "other", 15 * SECOND);
      await world.ports.state.putEntries(1, [{ id: 2, state: "emitted", count: 4, eventId: "later", revision: 2 }]);
    });

    expect(await poll(world)).toBeUndefined();

    expect(world.entry(1, 2)).toMatchObject({ revision: 2, count: 4 });
    expect(world.entry(1, 1)).toMatchObject({ state: "emitted", revision: 1 });
  });

  it("lost after a publish costs a repeat of those events with the same ids, and no others", async () => {
    const world = worldWith(complete(12));
    world.after.push(async ({ operation }) => {
      if (operation !== "publish" || world.delivered.length !== 10) return;
      world.after.length = 0;
      throw new Error("the process ends here");
    });
    await expect(poll(world)).rejects.toThrow("the process ends here");

    await poll(world);

    expect(deliveredIds(world)).toEqual([...range(1, 10), ...range(1, 12)]);
    expect(new Set(world.delivered.map(({ meta }) => meta.eventId)).size).toBe(12);
  });
});
