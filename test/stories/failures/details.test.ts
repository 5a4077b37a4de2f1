import { describe, expect, it } from "vitest";
import { failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  poll,
  polled,
  range,
  SECOND,
  surveyOf,
  timesCalled,
  worldWith,
  worldWithNews,
} from "../../support/survey.ts";

const absent = { kind: "absent" } as const;

describe("metrics and metadata", () => {
  it("are in the event, which is complete", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);

    await poll(world);

    expect(world.delivered[0]).toMatchObject({
      meta: { complete: true, missing: [], origin: "catch-up" },
      data: { metrics: [{ key: "31", metricId: 31 }], metadata: { ip: "203.0.113.77", deviceType: "desktop" } },
    });
  });

  it("are not asked for when the configuration leaves them out", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);

    await poll(world, { source: { enrich: { metrics: false, metadata: false } } });

    expect(timesCalled(world, "service", "metrics") + timesCalled(world, "service", "metadata")).toBe(0);
    expect(world.delivered[0]).toMatchObject({ meta: { complete: true }, data: { metrics: [], metadata: null } });
  });
});

describe("a response whose metrics cannot be had", () => {
  it("waits with its records, and goes out without the list once they can be", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 3 }]);
    const mend = failing(world, "metrics");
    const first = await polled(world);
    expect(first.counts).toMatchObject({ emitted: 0, waiting: 1 });
    expect(world.entry(1, 1)).toMatchObject({ state: "waiting", attempts: 1, reason: "metrics:SERVER_ERROR" });

    mend();
    surveyOf(world).records = [];
    world.time.now = first.dueAt ?? 0;
    await poll(world);

    expect(world.delivered[0]?.data.answers).toHaveLength(3);
    expect(world.entry(1, 1)).toMatchObject({ state: "emitted", count: 3 });
    expect(world.entry(1, 1)?.kept).toBeUndefined();
  });

  it("is given up after three attempts spread over the patience, not before, and goes out marked", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);
    failing(world, "metrics");
    let { dueAt } = await polled(world);
    let polls = 1;
    while (deliveredIds(world).length === 0 && polls < 100) {
      world.time.now = dueAt ?? 0;
      ({ dueAt } = await polled(world));
      polls += 1;
    }

    expect(polls).toBeGreaterThanOrEqual(3);
    expect(world.time.now).toBeGreaterThanOrEqual(15 * MINUTE + surveyFirstSeen());
    expect(world.delivered[0]).toMatchObject({
      meta: { complete: false, missing: ["metrics:gave-up"] },
      data: { metrics: [], metadata: { ip: "203.0.113.77" } },
    });

    function surveyFirstSeen(): number {
      return Date.parse(`${at(0).replace(" ", "T")}Z`);
    }
  });
});

describe("metrics that are not there", () => {
  it("are taken as absent only if they are still not there a minute after first seen", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }], { metrics: new Map([[1, absent]]) });
    const { dueAt } = await polled(world);
    expect(dueAt).toBe(world.time.now + MINUTE);

    world.time.now += MINUTE - SECOND;
    await poll(world);
    expect(deliveredIds(world)).toEqual([]);

    world.time.now += SECOND;
    await poll(world);
    expect(world.delivered[0]?.meta).toMatchObject({ complete: false, missing: ["metrics:absent"] });
  });

  it("are not waited for once the last 20 responses had none, and waited for again after one that had some", async () => {
    const none = new Map(range(1, 30).map((id) => [id, absent] as const));
    const responses = range(1, 20).map((responseId) => ({ responseId, completed: at(responseId) }));
    const world = worldWith(responses, { metrics: none });
    await poll(world);
    expect(deliveredIds(world)).toEqual([]);
    world.time.now += MINUTE;
    await poll(world);
    expect(deliveredIds(world)).toEqual(range(1, 20));

    world.delivered.length = 0;
    arrive(world, { responseId: 21, completed: at(MINUTE) });
    await poll(world);
    expect(deliveredIds(world)).toEqual([21]);

    none.delete(22);
    arrive(world, { responseId: 22, completed: at(MINUTE) });
    await poll(world);
    arrive(world, { responseId: 23, completed: at(MINUTE) });
    await poll(world);
    expect(deliveredIds(world)).toEqual([21, 22]);
    expect(world.entry(1, 23)?.state).toBe("waiting");
  });
});

describe("metadata that are never answered", () => {
  /** Lets what is on its way come about, a second at a time. */
  const seconds = async (world: MemoryWorld, count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
      world.time.now += SECOND;
    }
  };
  /** Those of one response hang until they are let go, with a failure. */
  const hanging = (world: MemoryWorld, responseId = 30): (() => void) => {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    world.before.push(({ operation, args }) =>
      operation === "metadata" && args[1] === responseId ? promise : undefined,
    );
    return () => reject(Object.assign(new Error(), { code: "TIMEOUT" }));
  };

  it("keep none of the other 59 responses of the page waiting", async () => {
    const world = await worldWithNews(
      Array.from({ length: 60 }, (_, i) => ({ responseId: i + 1, completed: at(i), size: 1 })),
    );
    const letGo = hanging(world);
    const polling = poll(world);
    await seconds(world, 5);
    expect(deliveredIds(world)).toHaveLength(59);
    expect(deliveredIds(world)).not.toContain(30);
    letGo();
    await polling;
    expect(world.entry(1, 30)).toMatchObject({ state: "waiting", reason: "metadata:TIMEOUT" });
  });
});
