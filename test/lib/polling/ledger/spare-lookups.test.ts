import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../../lib/polling/model/ledger-entry.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import {
  addSurvey,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  poll,
  range,
  recordsOf,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../../support/survey.ts";

const complete = (ids: number[]) => ids.map((responseId) => ({ responseId, completed: at(-HOUR), size: 10 }));

/** Ids that the ledger was asked for, in the order of the questions. */
const askedFor = (world: MemoryWorld): number[] =>
  world.calls.filter(({ operation }) => operation === "entries").flatMap(({ args }) => args[1] as number[]);

const fail = (message: string): never => {
  throw Object.assign(new Error(message), { code: "SERVER_ERROR" });
};

describe("a first pass over a list in the order of its ids", () => {
  it("asks the ledger for the first page and for the head of the list alone", async () => {
    const world = worldWith(complete(range(101, 400)));
    await poll(world);
    expect(deliveredIds(world)).toEqual(range(101, 400));
    expect(askedFor(world).filter((id) => id > 110 && id < 391)).toEqual([]);
  });

  it("that goes on after a failure asks for what lies among what it has entered, and emits each once", async () => {
    const world = worldWith(complete(range(101, 400)));
    let isDown = true;
    world.before.push(({ operation, args }) => {
      if (isDown && operation === "page" && Number(args[1]) > 12) fail("no answer");
    });
    await expect(poll(world)).rejects.toThrow("no answer");
    const before = deliveredIds(world);
    isDown = false;
    world.time.now += MINUTE;
    world.calls.length = 0;
    await poll(world);
    expect(before.length).toBeGreaterThan(50);
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(101, 400));
    expect(askedFor(world).filter((id) => id > before.length + 120 && id < 391)).toEqual([]);
  });

  it("emits once what comes by again because something was inserted before it", async () => {
    const world = worldWith(complete(range(201, 400)));
    let pages = 0;
    takes(world, SECOND, ({ operation }) => operation === "page");
    world.before.push(({ operation }) => {
      if (operation !== "page") return;
      pages += 1;
      if (pages !== 12) return;
      surveyOf(world).records.unshift(...complete(range(101, 130)).flatMap(recordsOf));
    });
    await poll(world, { deadline: world.time.now + 10 * MINUTE });
    const ids = deliveredIds(world);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(range(201, 400)));
  });
});

describe("ids in the ledger", () => {
  it.each([
    { where: "within one number of digits", first: range(101, 150), later: range(151, 300) },
    { where: "across a number of digits", first: range(940, 1_010), later: range(1_011, 1_200) },
    { where: "of another number of digits on both sides", first: range(9_990, 10_010), later: range(95, 110) },
  ])("$where are found by a later catch-up that meets them among new ones", async ({ first, later }) => {
    const world = worldWith(complete(first));
    await poll(world);
    expect(deliveredIds(world)).toEqual(first);
    // The new ones come first in the list: the ledger's own come behind pages of which it knows nothing.
    surveyOf(world).records.unshift(...complete(later).flatMap(recordsOf));
    surveyOf(world).counts.responses = first.length + later.length;
    world.time.now += HOUR;
    await poll(world, { listedCount: first.length + later.length, source: { headPages: 1 } });
    const ids = deliveredIds(world);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("that are only known by what lies around them are asked for", async () => {
    const world = worldWith([]);
    const state = world.ports.state;
    const entry = (id: number): LedgerEntry => ({ id, state: "emitted", eventId: `e${id}`, revision: 1, count: 10 });
    await state.putEntries(1, [entry(500), entry(1_300)]);
    addSurvey(world, 1, complete([...range(1_401, 1_440), ...range(1_250, 1_320), ...range(480, 520)]));
    await poll(world);
    expect(deliveredIds(world)).not.toContain(500);
    expect(deliveredIds(world)).not.toContain(1_300);
    expect(deliveredIds(world)).toHaveLength(40 + 71 + 41 - 2);
  });
});
