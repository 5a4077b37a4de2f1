import { describe, expect, it } from "vitest";
import { Failure, failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

/** A tick a minute, for so many minutes. */
async function minutes(world: MemoryWorld, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    world.time.now += MINUTE;
    await runTick(world);
  }
}

function failFor(world: MemoryWorld, operation: string, responseIds: number[], code = "SERVER_ERROR"): void {
  world.before.push((call) => {
    if (call.operation !== operation || !responseIds.includes(Number(call.args[1]))) return;
    throw Object.assign(new Failure("no answer"), { code });
  });
}

const completed = (ids: number[]) => ids.map((responseId) => ({ responseId, completed: at(responseId) }));
const complete = (world: MemoryWorld): boolean[] => world.delivered.map(({ meta }) => meta.complete);

// R17
describe("while metrics fail for the whole source", () => {
  it("nothing is given up, and everything goes out whole within minutes once they work", async () => {
    const world = worldWith(completed(range(1, 5)));
    addSurvey(world, 2, completed([21]));
    const mend = failing(world, "metrics");
    await minutes(world, 180);
    expect(deliveredIds(world)).toEqual([]);

    mend();
    await minutes(world, 8);

    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 21]);
    expect(complete(world)).toEqual(Array(6).fill(true));
  });

  it("the tick says so", async () => {
    const world = worldWith(completed(range(1, 5)));
    const mend = failing(world, "metrics");
    expect((await runTick(world)).outages).toEqual(["metrics"]);
    mend();
    world.time.now += MINUTE;
    expect((await runTick(world)).outages).toEqual([]);
  });

  it("some responses a tick are asked for, and not the hundreds that wait", async () => {
    const world = worldWith(completed(range(1, 300)));
    failing(world, "metrics");
    await minutes(world, 30);
    const before = timesCalled(world, "service", "metrics");

    await minutes(world, 60);

    expect(timesCalled(world, "service", "metrics") - before).toBeLessThanOrEqual(4 * 60);
    expect(timesCalled(world, "service", "metadata")).toBe(300);
  });

  it("and of those that are due no more than five hundred are looked at in one poll of a survey", async () => {
    const world = worldWith(completed(range(1, 650)));
    failing(world, "metrics");
    await minutes(world, 20);
    world.time.now += HOUR;
    world.calls.length = 0;

    await runTick(world);

    const looked = world.calls.filter(({ operation }) => operation === "due");
    // It is polled for news, and once more for background work.
    const asked = looked.filter(({ args }) => args[1] === "waiting").map(({ args }) => Number(args[3]));
    expect([...new Set(asked)].sort((a, b) => a - b)).toEqual([100, 200, 300, 400, 500]);
  });

  it("it is seen at once, also after responses with a fault of their own", async () => {
    const world = worldWith(completed(range(1, 120)));
    failFor(world, "metrics", [2, 3, 4]);
    world.before.push(({ operation }) => {
      if (operation === "metrics" && deliveredIds(world).length > 0) throw new Failure("no answer");
    });
    expect((await runTick(world)).outages).toEqual(["metrics"]);
  });

  it("the hundreds that wait go out within minutes after it", async () => {
    const world = worldWith(completed(range(1, 300)));
    const mend = failing(world, "metrics");
    await minutes(world, 90);

    mend();
    await minutes(world, 8);

    expect(deliveredIds(world)).toHaveLength(300);
    expect(new Set(complete(world))).toEqual(new Set([true]));
  });

  it("new ones wait as well, and a crash of the process forgets nothing of it", async () => {
    const world = worldWith(completed(range(1, 3)));
    const mend = failing(world, "metrics");
    await minutes(world, 30);
    arrive(world, { responseId: 4, completed: at(30 * MINUTE) });
    await minutes(world, 30);
    expect(world.account.breakers?.metrics.phase).toBe("open");
    expect(world.entry(1, 4)?.state).toBe("waiting");

    mend();
    await minutes(world, 10);
    expect(complete(world)).toEqual([true, true, true, true]);
    expect(world.account.breakers?.metrics.down).toBeGreaterThanOrEqual(60 * MINUTE);
  });

  it("a single response on a quiet source waits for its end as well", async () => {
    const world = worldWith(completed([1]));
    await runTick(world);
    arrive(world, { responseId: 2, completed: at(1) });
    const mend = failing(world, "metrics");
    await minutes(world, 14);
    const before = timesCalled(world, "service", "metrics");
    await minutes(world, 166);
    expect(deliveredIds(world)).toEqual([1]);
    expect(timesCalled(world, "service", "metrics") - before).toBeLessThan(60);

    mend();
    await minutes(world, 8);
    expect(complete(world)).toEqual([true, true]);
  });

  it("metadata that fail for one response are given up all the same", async () => {
    const world = worldWith(completed(range(1, 4)));
    failFor(world, "metadata", [2]);
    const mend = failing(world, "metrics");
    await minutes(world, 60);
    mend();
    await minutes(world, 10);
    expect(world.delivered.find(({ data }) => data.responseId === 2)?.meta.missing).toEqual(["metadata:gave-up"]);
    expect(complete(world).filter(Boolean)).toHaveLength(3);
  });
});

describe("responses that fail for ever by themselves", () => {
  it.each([1, 2, 3, 5, 30])(
    "(%d of them) are given up after the patience, though nothing else is going on",
    async (count) => {
      const world = worldWith(completed(range(1, 40)));
      failFor(world, "metrics", range(2, 1 + count));
      await runTick(world);
      expect(deliveredIds(world)).toHaveLength(40 - count);

      await minutes(world, 14);
      expect(deliveredIds(world)).toHaveLength(40 - count);
      await minutes(world, 16);

      const given = world.delivered.filter(({ meta }) => !meta.complete);
      expect(given.map(({ data }) => data.responseId).sort((a, b) => a - b)).toEqual(range(2, 1 + count));
      for (const { meta } of given) expect(meta.missing).toEqual(["metrics:gave-up"]);
      expect((await runTick(world)).outages).toEqual([]);
    },
  );

  it("are given up also when the last one answered was long ago", async () => {
    const world = worldWith(completed([1]));
    await runTick(world);
    world.time.now += 48 * HOUR;
    failFor(world, "metrics", [2, 3, 4]);
    for (const { responseId } of completed([2, 3, 4])) arrive(world, { responseId, completed: at(48 * HOUR) });

    await minutes(world, 30);

    expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4]);
  });

  it("are given up also when the tick that had the only answer could not save what it had seen", async () => {
    const world = worldWith(completed([1]));
    const lose = ({ operation, args }: { operation: string; args: readonly unknown[] }): void => {
      if (operation === "saveAccount" && "breakers" in Object(args[0])) throw new Failure("throttled");
    };
    world.before.push(lose);
    await expect(runTick(world)).rejects.toThrow("throttled");
    world.before.splice(world.before.indexOf(lose), 1);
    failFor(world, "metrics", [2, 3, 4]);
    for (const { responseId } of completed([2, 3, 4])) arrive(world, { responseId, completed: at(MINUTE) });

    await minutes(world, 30);

    expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4]);
  });

  it("do not keep a later outage from being one: their patience stands still in it too", async () => {
    const world = worldWith(completed(range(1, 5)));
    failFor(world, "metrics", [2, 3, 4]);
    await minutes(world, 5);
    const mend = failing(world, "metrics");
    await minutes(world, 120);
    expect(deliveredIds(world).sort()).toEqual([1, 5]);

    mend();
    await minutes(world, 30);
    expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4, 5]);
  });
});

it("an account that may not read metrics at all gets its events: a refusal is no outage", async () => {
  for (const code of ["NOT_ALLOWED", "BAD_REQUEST"]) {
    const world = worldWith(completed(range(1, 30)));
    failFor(world, "metrics", range(1, 30), code);
    await minutes(world, 30);
    expect(deliveredIds(world)).toHaveLength(30);
    expect(world.delivered[0]?.meta.missing).toEqual(["metrics:gave-up"]);
  }
});

it("a look at what was answered before that fails for the whole source ends the tick", async () => {
  const world = worldWith(completed([1]));
  await runTick(world);
  for (const responseId of [2, 3, 4]) arrive(world, { responseId, completed: at(responseId) });
  failFor(world, "metrics", [2, 3, 4]);
  failFor(world, "metrics", [1], "WRONG_CREDENTIALS");
  await expect(runTick(world)).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
});
