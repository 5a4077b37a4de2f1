import { describe, expect, it } from "vitest";
import { responseReleased, responseWithheld } from "../../../lib/events/index.ts";
import { redrive } from "../../../lib/operator/redrive.ts";
import type { SealedEvent } from "../../../lib/polling/ports.ts";
import { operate } from "../../lib/support/operation.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { fullPass, fullPassesOnly, ticksUntil } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  replace,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const one = (responseId: number, fields?: Record<string, unknown>) => ({
  responseId,
  completed: at(responseId * SECOND),
  size: 2,
  ...(fields === undefined ? {} : { fields }),
});

/** What subscribers were told, in that order: type, response, state. */
function told(world: MemoryWorld): [string, number | null, string][] {
  return world.told.flatMap(({ type, detail }): [string, number | null, string][] => {
    if (type === "response.withheld") {
      const { responseId, state } = responseWithheld.parse(detail).data;
      return [["withheld", responseId, state]];
    }
    if (type !== "response.released") return [];
    const { responseId, state } = responseReleased.parse(detail).data;
    return [["released", responseId, state]];
  });
}

async function tick(world: MemoryWorld): Promise<void> {
  world.time.now += MINUTE;
  await runTick(world);
}

async function worldTold(): Promise<MemoryWorld> {
  const world = worldWith(range(1, 20).map((responseId) => one(responseId)));
  await runTick(world);
  expect(told(world)).toEqual([]);
  return world;
}

/** Puts another completion in the place of an unreadable one. */
function mend(world: MemoryWorld, responseId: number): void {
  for (const record of surveyOf(world).records as Record<string, unknown>[]) {
    if (record.responseId === responseId) record.completed = 1;
  }
}

// R18
describe("a response that is quarantined", () => {
  it("is told as withheld once, with the reason and no contents, and as released once its event is out", async () => {
    const world = await worldTold();
    arrive(world, one(21, { completed: "perhaps", comment: "private" }));
    await tick(world);
    await tick(world);
    expect(told(world)).toEqual([["withheld", 21, "quarantined"]]);
    const detail = responseWithheld.parse(world.told.find(({ type }) => type === "response.withheld")?.detail);
    expect(detail.data).toMatchObject({
      surveyId: 1,
      reason: "unreadable completed",
      since: new Date(world.time.now - MINUTE).toISOString(),
    });
    expect(JSON.stringify(detail)).not.toContain("private");

    mend(world, 21);
    arrive(world, one(22));
    await tick(world);
    expect(told(world)).toEqual([
      ["withheld", 21, "quarantined"],
      ["released", 21, "quarantined"],
    ]);
    const released = responseReleased.parse(world.told.find(({ type }) => type === "response.released")?.detail);
    const event = world.delivered.find(({ data }) => data.responseId === 21);
    expect(released.data.lastEventId).toBe(event?.meta.eventId);
    expect(world.mark(1).withheld).toBeUndefined();
  });

  it("is left to the next poll where the bus does not take that it is withheld; the others go out", async () => {
    const world = await worldTold();
    const fault = { on: true };
    world.before.push(({ operation, args }) => {
      const isWithheld = operation === "publish" && (args[0] as SealedEvent[])[0]?.type === "response.withheld";
      if (fault.on && isWithheld) throw new Error("the bus is throttled");
    });
    arrive(world, one(21, { completed: "perhaps" }));
    arrive(world, one(22));
    await tick(world);
    expect(world.entry(1, 21)).toBeUndefined();
    expect(deliveredIds(world)).toContain(22);

    fault.on = false;
    await tick(world);
    expect(world.entry(1, 21)).toMatchObject({ state: "quarantined" });
    expect(told(world)).toEqual([["withheld", 21, "quarantined"]]);
  });

  it("is told as released by the next poll where the bus did not take that", async () => {
    const world = await worldTold();
    arrive(world, one(21, { completed: "perhaps" }));
    await tick(world);
    const fault = { on: true };
    world.before.push(({ operation, args }) => {
      const isReleased = operation === "publish" && (args[0] as SealedEvent[])[0]?.type === "response.released";
      if (fault.on && isReleased) throw new Error("the bus is throttled");
    });
    mend(world, 21);
    arrive(world, one(22));
    await tick(world);
    expect(deliveredIds(world)).toEqual(expect.arrayContaining([21, 22]));
    expect(told(world)).toEqual([["withheld", 21, "quarantined"]]);

    fault.on = false;
    await tick(world);
    expect(told(world)).toEqual([
      ["withheld", 21, "quarantined"],
      ["released", 21, "quarantined"],
    ]);
  });

  it("is told as released without an event where it turns out not to be completed", async () => {
    const world = await worldTold();
    arrive(world, one(21, { completed: "perhaps" }));
    await tick(world);
    for (const record of surveyOf(world).records as Record<string, unknown>[]) {
      if (record.responseId === 21) record.completed = 0;
    }
    arrive(world, one(22));
    await tick(world);
    const released = responseReleased.parse(world.told.find(({ type }) => type === "response.released")?.detail);
    expect(released.data).toMatchObject({ responseId: 21, lastEventId: null });
    expect(world.mark(1).withheld).toBeUndefined();
  });

  it("is told to nobody where the source does not want it", async () => {
    const world = await worldTold();
    const source = { events: new Set(["response.completed"] as const) };
    arrive(world, one(21, { completed: "perhaps" }));
    world.time.now += MINUTE;
    await runTick(world, { source });
    mend(world, 21);
    arrive(world, one(22));
    world.time.now += MINUTE;
    await runTick(world, { source });
    expect(deliveredIds(world)).toContain(21);
    expect(world.told).toHaveLength(1);
  });
});

describe("a response that the bus refuses", () => {
  it("is not released by a redrive that the bus refuses again", async () => {
    const world = await worldTold();
    world.bus.decide = ({ data }) => (data.responseId === 21 ? { kind: "refused", code: "TooLarge" } : undefined);
    arrive(world, one(21));
    await tick(world);
    await operate(world, redrive, { surveyIds: [1] });
    await tick(world);
    await tick(world);
    expect(new Set(told(world).map(String))).toEqual(new Set(["withheld,21,refused"]));

    world.bus.decide = () => undefined;
    await operate(world, redrive, { surveyIds: [1] });
    await tick(world);
    expect(told(world).at(-1)).toEqual(["released", 21, "refused"]);
    expect(deliveredIds(world)).toContain(21);
  });

  it("is told as withheld also where that is an update, until a later one goes out", async () => {
    const source = { ...fullPassesOnly, backgroundRequests: 100 };
    const world = worldWith(range(1, 100).map((responseId) => one(responseId)));
    await runTick(world, { source });
    world.bus.decide = ({ meta }) => (meta.revision > 1 ? { kind: "refused", code: "TooLarge" } : undefined);
    const change = async (score: number): Promise<void> => {
      replace(world, one(34, { score }));
      await fullPass(world, { source });
      await ticksUntil(world, () => world.mark(1).changes === undefined, { source });
    };
    await change(9);
    expect(told(world)).toEqual([["withheld", 34, "refused"]]);

    world.bus.decide = () => undefined;
    await change(10);
    expect(told(world).at(-1)).toEqual(["released", 34, "refused"]);
  });
});

describe("a record without a readable responseId", () => {
  it("is told as withheld, of nobody knows which response", async () => {
    const world = await worldTold();
    surveyOf(world).records.unshift({ responseId: "?", questionId: 1, completed: 1 });
    arrive(world, one(21));
    await tick(world);
    await tick(world);
    expect(told(world)).toEqual([["withheld", null, "quarantined"]]);
  });
});
