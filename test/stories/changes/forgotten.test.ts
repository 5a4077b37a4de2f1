import { describe, expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { type Forgotten, forget } from "../../../lib/operator/forget.ts";
import type { EntryState, LedgerEntry } from "../../../lib/polling/index.ts";
import { operate } from "../../lib/support/operation.ts";
import { failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly, remove, ticksUntil, truthOf } from "../../support/slow.ts";
import { standStillAt } from "../../support/stand-still.ts";
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
  worldWith,
} from "../../support/survey.ts";

const source = { ...fullPassesOnly, backgroundRequests: 100 };
const one = (responseId: number) => ({ responseId, completed: at(-responseId * SECOND), size: 2 });

const forgetOne = (world: MemoryWorld, response: LedgerEntry["id"]): Promise<Forgotten> =>
  operate(world, forget, { surveyId: 1, response });

/** A world whose hundred responses have all gone out. */
async function worldTold(): Promise<MemoryWorld> {
  const world = worldWith(range(1, 100).map(one));
  await runTick(world, { source });
  expect(deliveredIds(world)).toHaveLength(100);
  world.delivered.length = 0;
  world.told.length = 0;
  return world;
}

/** Two full passes with a tick after each: a change is told by then. */
async function passes(world: MemoryWorld): Promise<void> {
  for (let i = 0; i < 2; i += 1) {
    await fullPass(world, { source });
    let ticks = 0;
    await ticksUntil(world, () => ++ticks === 3, { source });
  }
}

const deletions = (world: MemoryWorld) => world.told.filter(({ type }) => type === "response.deleted");

describe("a response that is forgotten after its event", () => {
  it("leaves an entry with nothing but the id of its event, and the books close as before", async () => {
    const world = await worldTold();
    expect(await forgetOne(world, 34)).toEqual({ outcome: "done", was: "emitted", objects: 0 });
    const bare = { id: 34, state: "emitted", reason: "forgotten", eventId: eventId("main", 1, 34), revision: 1 };
    expect(world.entry(1, 34)).toEqual(bare);

    await passes(world);

    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: 100 });
    expect(world.entry(1, 34)).toEqual(bare);
  });

  it.each([
    ["other answers", (world: MemoryWorld) => replace(world, { ...one(34), fields: { score: 9 } })],
    ["more records", (world: MemoryWorld) => replace(world, { ...one(34), size: 5 })],
    ["fewer records", (world: MemoryWorld) => replace(world, { ...one(34), size: 1 })],
  ])("is not told again: %s", async (_what, edit) => {
    const world = await worldTold();
    await forgetOne(world, 34);
    edit(world);
    // One that is not forgotten shows that changes are told in this time.
    replace(world, { ...one(35), fields: { score: 9 } });

    await passes(world);

    expect(deliveredIds(world)).toEqual([35]);
    expect(closedBooks(world)).toMatchObject(truthOf(world));
  });

  it("is told as deleted once, by its ids, and stays forgotten when it is listed again", async () => {
    const world = await worldTold();
    await forgetOne(world, 34);
    remove(world, [34]);
    await passes(world);
    await passes(world);
    expect(deletions(world)).toMatchObject([
      { detail: { data: { responseId: 34, lastEventId: eventId("main", 1, 34) } } },
    ]);

    surveyOf(world).records.push(...recordsOf({ ...one(34), size: 4 }));
    await passes(world);
    await passes(world);

    expect(world.delivered).toEqual([]);
    expect(deletions(world)).toHaveLength(1);
    expect(world.entry(1, 34)).toEqual({
      id: 34,
      state: "emitted",
      reason: "forgotten",
      eventId: eventId("main", 1, 34),
      revision: 1,
    });
    expect(closedBooks(world)).toMatchObject(truthOf(world));
  });

  it("leaves none of its answers in the bucket, of whatever revision, and nothing else", async () => {
    const world = await worldTold();
    const entry = { ...world.entry(1, 34), id: 34, state: "emitted" as const, revision: 2 };
    await world.ports.state.putEntries(1, [{ ...entry, eventId: eventId("main", 1, 34, 2) }]);
    for (const revision of [1, 2, 3])
      await world.ports.vault.put(`answers/${eventId("main", 1, 34, revision)}/a.json`, []);
    await world.ports.vault.put("kept/main/1/34/old.json", {});
    await world.ports.vault.put("kept/main/1/345/x.json", {});
    await world.ports.vault.put(`answers/${eventId("main", 1, 35)}/a.json`, []);

    expect(await forgetOne(world, 34)).toMatchObject({ objects: 4 });

    expect([...world.objects.keys()]).toEqual(["kept/main/1/345/x.json", `answers/${eventId("main", 1, 35)}/a.json`]);
    expect(await forgetOne(world, 34)).toEqual({ outcome: "done", was: "emitted", objects: 0 });
    expect(world.entry(1, 34)).toMatchObject({ revision: 2, eventId: eventId("main", 1, 34, 2) });
  });
});

const personal = { fields: { comment: "jane@example.com" } };
const kept = { records: recordsOf({ responseId: 7, completed: at(0), ...personal }), details: {} };
const entries: Record<Exclude<EntryState, "emitted" | "before-floor">, Partial<LedgerEntry>> = {
  waiting: { reason: "metrics:absent", firstSeen: 1, attempts: 1, nextCheck: 1, kept, digest: "d", count: 2 },
  held: { reason: "contents-unproved", firstSeen: 1, attempts: 3, nextCheck: 1, shown: ["abc"] },
  open: { firstSeen: 1, nextCheck: 1 },
  quarantined: { reason: "unreadable completed", firstSeen: 1, nextCheck: 1e15, kept, digest: "d", count: 2 },
  refused: { reason: "TooLarge", firstSeen: 1, nextCheck: 1e15, keptKey: "kept/main/1/7/d.json", digest: "d" },
};

describe("a response that is forgotten before its event", () => {
  it.each(Object.entries(entries))("never goes out, and counts as before the floor: %s", async (state, fields) => {
    const world = await worldTold();
    arrive(world, { responseId: 7_000, completed: at(0), ...personal });
    await world.ports.state.putEntries(1, [{ id: 7_000, state: state as EntryState, ...fields }]);
    if (fields.keptKey !== undefined) await world.ports.vault.put("kept/main/1/7000/d.json", kept);

    expect(await forgetOne(world, 7_000)).toEqual({
      outcome: "done",
      was: state,
      objects: fields.keptKey === undefined ? 0 : 1,
    });
    world.time.now += MINUTE;
    await passes(world);

    expect(world.delivered).toEqual([]);
    expect(world.entry(1, 7_000)).toEqual({ id: 7_000, state: "before-floor", reason: "forgotten" });
    expect(world.objects.size).toBe(0);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: 100, beforeFloor: 1 });
  });
});

describe("what is forgotten while somebody is at work on it stays so", () => {
  it("though a worker that stood still writes it as waiting afterwards", async () => {
    const world = await worldTold();
    const mend = failing(world, "metrics");
    arrive(world, { responseId: 734, completed: at(MINUTE) });
    world.time.now += MINUTE;
    await runTick(world, { source });
    expect(world.entry(1, 734)?.state).toBe("waiting");
    let forgotten: unknown;
    standStillAt(
      world,
      ({ id, state }) => id === 734 && state === "waiting",
      async () => {
        forgotten = await forgetOne(world, 734);
      },
    );
    world.time.now += 10 * MINUTE;
    await runTick(world, { source }).catch(() => undefined);
    mend();
    await passes(world);
    expect(forgotten).toMatchObject({ outcome: "done", was: "waiting" });
    expect(deliveredIds(world)).toEqual([]);
    expect(world.entry(1, 734)).toEqual({ id: 734, state: "before-floor", reason: "forgotten" });
  });
});
