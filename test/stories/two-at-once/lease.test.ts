import { describe, expect, it } from "vitest";
import { standStillAt } from "../../support/stand-still.ts";
import {
  at,
  complete,
  deliveredIds,
  MINUTE,
  poll,
  range,
  replace,
  SECOND,
  timesCalled,
  worldWith,
  worldWithNews,
} from "../../support/survey.ts";

// R27
describe("the lease", () => {
  it("is prolonged while the service keeps the poll waiting", async () => {
    const world = worldWith(complete(1, 3));
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
    const world = worldWith(complete(1, 1));
    await world.ports.state.acquire(1, "other", 15 * SECOND);

    expect(await poll(world)).toBeUndefined();
    expect(timesCalled(world, "service")).toBe(0);

    world.time.now += 16 * SECOND;
    expect(await poll(world)).toBeDefined();
  });

  it("lost to someone else before the publish stops the poll: nothing is sent", async () => {
    const world = await worldWithNews(complete(1, 3));
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

  it("that is prolonged too slowly to be safe stops the poll", async () => {
    const world = worldWith(complete(1, 3));
    world.before.push(({ operation }) => {
      if (operation === "metadata") world.time.now += 10 * SECOND;
    });
    world.after.push(({ operation }) => {
      if (operation === "renew") world.time.now += 11 * SECOND;
    });

    expect(await poll(world)).toBeUndefined();

    expect(deliveredIds(world)).toEqual([]);
  });

  it("lost after a publish costs a repeat of those events with the same ids, and no others", async () => {
    const world = worldWith(complete(1, 12));
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

const one = (responseId: number, size: number) => ({ responseId, completed: at(responseId * SECOND), size });

// R27
it("a worker that stood still and could not make a repair does not undo the one that was made meanwhile: no id goes out again", async () => {
  const world = await worldWithNews(complete(1, 4));
  await poll(world);
  replace(world, one(3, 4));
  let fails = true;
  world.before.push(({ operation, args }) => {
    if (fails && operation === "metrics" && args[1] === 3)
      throw Object.assign(new Error("500"), { code: "SERVER_ERROR" });
  });
  standStillAt(
    world,
    ({ id, attempts }) => id === 3 && attempts !== undefined,
    async () => {
      fails = false;
      await poll(world, { owner: "other" });
    },
  );
  await poll(world);
  expect(world.entry(1, 3)).toMatchObject({ state: "emitted", revision: 2, count: 4 });

  // It has grown once more.
  replace(world, one(3, 5));
  world.time.now += MINUTE;
  await poll(world, { owner: "third" });
  const events = world.delivered.filter(({ data }) => data.responseId === 3);
  expect(events.map(({ meta, data }) => [meta.revision, data.answers.length])).toEqual([
    [1, 2],
    [2, 4],
    [3, 5],
  ]);
});
