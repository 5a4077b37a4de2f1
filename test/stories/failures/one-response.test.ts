import { describe, expect, it } from "vitest";
import { placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly } from "../../support/slow.ts";
import {
  at,
  complete,
  deliveredIds,
  MINUTE,
  poll,
  range,
  recordsOf,
  runTick,
  sortedIds,
  surveyOf,
  timesCalled,
  worldWith,
  worldWithNews,
} from "../../support/survey.ts";

const without = (count: number, ...left: number[]): number[] => range(1, count).filter((id) => !left.includes(id));

/** The bus has an inner fault with these alone. */
function noBusFor(world: MemoryWorld, ...ids: number[]): void {
  world.bus.decide = ({ data }) =>
    ids.includes(data.responseId) ? { kind: "failed", code: "InternalFailure" } : undefined;
}

function noVault(world: MemoryWorld): void {
  world.before.push(({ port, operation }) => {
    if (port === "vault" && operation === "put") throw new Error("no bucket");
  });
}

async function ticks(world: MemoryWorld, count: number): Promise<void> {
  for (const _ of range(1, count)) {
    world.time.now += MINUTE;
    await runTick(world);
  }
}

describe("one response of which something fails each time", () => {
  it("keeps a backlog from nothing: the bus does not take it, and it waits with its records", async () => {
    const world = worldWith(complete(1, 600));
    noBusFor(world, 7);
    await ticks(world, 3);
    expect(sortedIds(world)).toEqual(without(600, 7));
    expect(world.mark(1).phase.kind).toBe("head");
    expect(closedBooks(world)).toMatchObject({ listed: 600, emitted: 599, waiting: 1 });

    world.bus.decide = () => undefined;
    await ticks(world, 1);
    expect(deliveredIds(world).slice(599)).toEqual([7]);
  });

  it("keeps a backlog from nothing: it cannot be read, and the catch-up comes back to its page", async () => {
    const unreadable = { completed: "maybe", comment: "x".repeat(200_000) };
    const world = worldWith(complete(1, 300));
    surveyOf(world).records.splice(210, 0, ...recordsOf({ responseId: 900, completed: at(0), fields: unreadable }));
    noVault(world);
    await expect(poll(world)).rejects.toThrow("no bucket");
    expect(sortedIds(world)).toEqual(range(1, 300));
    expect(world.mark(1)).toMatchObject({ phase: { kind: "catch-up", place: { page: 3 } } });

    world.before.length = 0;
    await poll(world);
    expect(world.mark(1).phase.kind === "head").toBe(true);
    expect(world.entry(1, 900)?.state).toBe("quarantined");
    expect(deliveredIds(world)).toHaveLength(300);
  });

  it("in the middle of a list keeps a full pass from nothing, and goes out once the bus takes it", async () => {
    const world = worldWith(complete(1, 200));
    await runTick(world, { source: fullPassesOnly });
    const late = { responseId: 900, completed: at(0) };
    surveyOf(world).records.splice(100, 0, ...recordsOf(late));
    surveyOf(world).records.splice(300, 0, ...recordsOf({ ...late, responseId: 901 }));
    noBusFor(world, 900);
    await fullPass(world);
    expect(deliveredIds(world).slice(200)).toEqual([901]);
    expect(closedBooks(world)).toMatchObject({ listed: 202, emitted: 201, waiting: 1 });

    world.bus.decide = () => undefined;
    await ticks(world, 1);
    expect(deliveredIds(world).slice(200)).toEqual([901, 900]);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 202, emitted: 202 });
  });
});

describe("a failure of more than one response", () => {
  it("of the bus ends a catch-up at once", async () => {
    const world = worldWith(complete(1, 600));
    world.bus.decide = () => ({ kind: "failed", code: "InternalFailure" });
    await expect(poll(world)).rejects.toMatchObject({ code: "PUBLISH_FAILED" });
    expect(timesCalled(world, "publisher", "publish")).toBeLessThanOrEqual(6);
    expect(placeOf(world.mark(1))).toMatchObject({ page: 1 });
  });

  it("of the whole source ends the work at once, whatever was asked for", async () => {
    const world = await worldWithNews(complete(1, 100));
    world.before.push(({ operation, args }) => {
      if (operation === "metrics" && args[1] === 50) throw Object.assign(new Error(), { code: "WRONG_TOKEN" });
    });
    await expect(poll(world)).rejects.toMatchObject({ code: "WRONG_TOKEN" });
    expect(deliveredIds(world)).toEqual(range(1, 40));
  });
});
