import { describe, expect, it } from "vitest";
import { type LedgerEntry, placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  poll,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  timesCalled,
  worldWith,
  worldWithNews,
} from "../../support/survey.ts";

const complete = (from: number, to: number) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND) }));

const sorted = (ids: number[]): number[] => [...ids].sort((a, b) => a - b);
const without = (count: number, ...left: number[]): number[] => range(1, count).filter((id) => !left.includes(id));

/** There is no place for the answers of these responses until the function that it gives is called. */
function noPlaceFor(world: MemoryWorld, ...ids: number[]): () => void {
  const hook = ({ operation, args }: { operation: string; args: readonly unknown[] }): void => {
    const event = args[0] as { detail?: { data: { responseId: number } } };
    if (operation === "seal" && ids.includes(event.detail?.data.responseId ?? 0)) throw new Error("no bucket");
  };
  world.before.push(hook);
  return () => {
    world.before.splice(world.before.indexOf(hook), 1);
  };
}

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
  it("keeps none of its batch from going out: its answers cannot be put where large ones lie", async () => {
    const world = await worldWithNews(complete(1, 100));
    const mend = noPlaceFor(world, 7);
    await expect(poll(world)).rejects.toThrow("no bucket");
    expect(sorted(deliveredIds(world))).toEqual(without(100, 7));
    expect(world.entry(1, 7)?.state).toBe("waiting");

    mend();
    await poll(world);
    expect(deliveredIds(world).slice(99)).toEqual([7]);
  });

  it("keeps a backlog from nothing: the bus does not take it, and it waits with its records", async () => {
    const world = worldWith(complete(1, 600));
    noBusFor(world, 7);
    await ticks(world, 3);
    expect(sorted(deliveredIds(world))).toEqual(without(600, 7));
    expect(world.mark(1).phase.kind).toBe("head");
    expect(closedBooks(world)).toMatchObject({ listed: 600, emitted: 599, waiting: 1 });

    world.bus.decide = () => undefined;
    await ticks(world, 1);
    expect(deliveredIds(world).slice(599)).toEqual([7]);
  });

  it("keeps none of its page from going out: it is unreadable, and too large for the table while there is no vault", async () => {
    const world = await worldWithNews([]);
    const records = complete(1, 10).flatMap(recordsOf) as Record<string, unknown>[];
    // In the middle of the page: responses 3 and 8 have a large record each.
    for (const k of [4, 14]) Object.assign(records[k] ?? {}, { completed: "maybe", comment: "x".repeat(200_000) });
    surveyOf(world).records.push(...records, { responseId: "?", comment: "x".repeat(200_000) });
    noVault(world);
    await expect(poll(world)).rejects.toThrow("no bucket");
    expect(deliveredIds(world)).toEqual(without(10, 3, 8));
    expect(world.mark(1)).toMatchObject({ phase: { openTo: 1 }, books: { listed: 0 } });

    world.before.length = 0;
    await poll(world);
    expect(world.entries(1).filter(({ state }) => state === "quarantined")).toHaveLength(3);
    expect(closedBooks(world)).toMatchObject({ listed: 10, emitted: 8, quarantined: 2 });
  });

  it("keeps a backlog from nothing: it cannot be read, and the catch-up comes back to its page", async () => {
    const unreadable = { completed: "maybe", comment: "x".repeat(200_000) };
    const world = worldWith(complete(1, 300));
    surveyOf(world).records.splice(210, 0, ...recordsOf({ responseId: 900, completed: at(0), fields: unreadable }));
    noVault(world);
    await expect(poll(world)).rejects.toThrow("no bucket");
    expect(sorted(deliveredIds(world))).toEqual(range(1, 300));
    expect(world.mark(1)).toMatchObject({ phase: { kind: "catch-up", place: { page: 3 } } });

    world.before.length = 0;
    await poll(world);
    expect(world.mark(1).phase.kind === "head").toBe(true);
    expect(world.entry(1, 900)?.state).toBe("quarantined");
    expect(deliveredIds(world)).toHaveLength(300);
  });

  it("as it is refused for good, and its records cannot be kept, is refused again", async () => {
    const world = await worldWithNews(complete(1, 9));
    arrive(world, { responseId: 10, completed: at(0), fields: { comment: "x".repeat(60_000) } });
    world.bus.decide = ({ data }) => (data.responseId === 10 ? { kind: "refused", code: "Malformed" } : undefined);
    noVault(world);
    await expect(poll(world)).rejects.toThrow("no bucket");
    expect(sorted(deliveredIds(world))).toEqual(range(1, 9));

    world.before.length = 0;
    await poll(world);
    expect(world.entry(1, 10)).toMatchObject({ state: "refused", reason: "Malformed" });
  });

  it("is told of at each tick, beside what went out, and keeps slow work from nothing", async () => {
    const world = worldWith(complete(1, 400));
    await runTick(world);
    arrive(world, { responseId: 401, completed: at(401 * SECOND) });
    noPlaceFor(world, 401);
    await ticks(world, 2);
    arrive(world, { responseId: 402, completed: at(402 * SECOND) });
    world.time.now += MINUTE;
    expect((await runTick(world)).surveys).toMatchObject([{ outcome: "failed", unfinished: true }]);
    expect(deliveredIds(world).at(-1)).toBe(402);
    expect(world.progress.filter(({ kind }) => kind === "survey failed")).toHaveLength(3);

    // Late, uncounted and on no page of the head: only slow work finds it.
    surveyOf(world).records.splice(200, 0, ...recordsOf({ responseId: 900, completed: at(0) }));
    world.time.now += 8 * 24 * HOUR;
    await ticks(world, 40);
    expect(deliveredIds(world)).toContain(900);
    expect(deliveredIds(world)).not.toContain(401);
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

it("a hundred waiting responses whose records cannot be read keep none behind them waiting", async () => {
  const world = worldWith([]);
  await runTick(world);
  const records = recordsOf({ responseId: 1, completed: at(0) });
  const waiting = (id: number): LedgerEntry => {
    const kept = { records: records.map((record) => ({ ...Object(record), responseId: id })), details: {} };
    const entry = { id, attempts: 0, firstSeen: world.time.now, nextCheck: world.time.now + id, digest: "d", count: 2 };
    return { ...entry, state: "waiting", ...(id <= 100 ? { keptKey: `kept/${id}` } : { kept }) };
  };
  await world.ports.state.putEntries(1, range(1, 105).map(waiting));
  world.before.push(({ port, operation }) => {
    if (port === "vault" && operation === "get") throw Object.assign(new Error(), { code: "ODD" });
  });
  world.time.now += MINUTE;
  await expect(poll(world)).rejects.toMatchObject({ code: "ODD" });
  expect(deliveredIds(world)).toEqual(range(101, 105));
});
