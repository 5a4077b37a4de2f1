import { describe, expect, it } from "vitest";
import { Failure, failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  runTick,
  sortedIds,
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
const areComplete = (world: MemoryWorld): boolean[] => world.delivered.map(({ meta }) => meta.complete);

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

    expect(sortedIds(world)).toEqual([1, 2, 3, 4, 5, 21]);
    expect(areComplete(world)).toEqual(Array(6).fill(true));
  });

  it("the tick says so", async () => {
    const world = worldWith(completed(range(1, 5)));
    const mend = failing(world, "metrics");
    expect((await runTick(world)).outages).toEqual([]);
    world.time.now += MINUTE;
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

  it("new ones wait as well, and a crash of the process forgets nothing of it", async () => {
    const world = worldWith(completed(range(1, 3)));
    const mend = failing(world, "metrics");
    await minutes(world, 30);
    arrive(world, { responseId: 4, completed: at(30 * MINUTE) });
    await minutes(world, 30);
    expect(world.account.outages?.metrics).toBeDefined();
    expect(world.entry(1, 4)?.state).toBe("waiting");

    mend();
    await minutes(world, 10);
    expect(areComplete(world)).toEqual([true, true, true, true]);
    expect(world.account.outages).toEqual({});
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
