import { describe, expect, it } from "vitest";
import { redrive, type SurveyRedrive } from "../../../lib/operator/redrive.ts";
import type { LedgerEntry, Selection } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  fail,
  failure,
  HOUR,
  MINUTE,
  type ResponseSpec,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";
import { operate } from "../support/operation.ts";

const DAY = 24 * HOUR;
const none = { unreadable: 0, withoutRecords: 0, beforeStart: 0, failed: 0 };
const nothing = { putBack: 0, left: none };
const FOREVER = { deadline: Number.POSITIVE_INFINITY };

/** Makes a response so large that its records are kept in the vault. */
const large = { size: 60, fields: { comment: "x".repeat(2_000) } };
const unreadable = { fields: { completed: "perhaps" } };

/** A world whose bus has refused all of these responses. */
async function refused(responses: ResponseSpec[] = [{ responseId: 1, completed: at(0) }]): Promise<MemoryWorld> {
  const world = worldWith(responses);
  world.bus.decide = () => ({ kind: "refused", code: "MalformedDetail" });
  await runTick(world);
  world.bus.decide = () => undefined;
  return world;
}

interface Run {
  surveyIds?: number[];
  reason?: string;
  surveys?: Selection;
  log?: ReturnType<typeof memoryLog>;
}

async function run(
  world: MemoryWorld,
  { surveyIds = [1], reason, surveys = "all", log = memoryLog() }: Run = {},
): Promise<SurveyRedrive[]> {
  const more = { graph: memoryGraph(world, { surveys }), logger: log, time: 40 * SECOND };
  return (await operate(world, redrive, { surveyIds, reason }, more)).surveys;
}

/** Entries as an earlier version left them that could not read `completed: 1`. */
async function unreadBefore(world: MemoryWorld): Promise<void> {
  for (const entry of world.entries(1)) {
    if (entry.kept === undefined) continue;
    const kept = JSON.parse(JSON.stringify(entry.kept).replaceAll('"perhaps"', "1"));
    await world.ports.state.putEntries(1, [{ ...entry, kept }]);
  }
}

async function dropRecords(world: MemoryWorld, id: number): Promise<void> {
  const { kept: _, ...entry } = world.entry(1, id) ?? { id, state: "quarantined" };
  await world.ports.state.putEntries(1, [entry]);
}

async function ticks(world: MemoryWorld, count: number): Promise<void> {
  for (const _ of range(1, count)) {
    world.time.now += MINUTE;
    await runTick(world);
  }
}

describe("a redrive", () => {
  it("puts back what the bus refused: the next tick emits it as it was kept, without the list", async () => {
    const world = await refused([
      { responseId: 1, completed: at(0), size: 3 },
      { responseId: 2, completed: at(1), ...large },
    ]);
    for (const id of [1, 2]) world.model.remove(1, id);
    expect(world.objects.size).toBe(1);

    expect(await run(world)).toEqual([{ ...nothing, surveyId: 1, outcome: "done", putBack: 2 }]);

    const { now } = world.time;
    const again = { state: "waiting", origin: "replay", attempts: 0, firstSeen: now, nextCheck: now };
    expect(world.entry(1, 1)).toMatchObject(again);
    await ticks(world, 1);
    expect(deliveredIds(world)).toEqual([1, 2]);
    expect(world.delivered.map(({ data }) => data.answers.length)).toEqual([3, 60]);
    expect(world.delivered[0]?.meta).toMatchObject({ origin: "replay", complete: true });
    expect(world.entry(1, 1)).toMatchObject({ state: "emitted", count: 3 });
    expect(world.objects.size).toBe(0);
    // Those of before were kept.
    expect(timesCalled(world, "service", "metrics") + timesCalled(world, "service", "metadata")).toBe(4);
  });

  it("puts back the unreadable that this version can read, and leaves the others as they are", async () => {
    const world = worldWith([
      { responseId: 1, completed: at(0), ...unreadable },
      { responseId: 2, completed: at(0), fields: { completed: "never" } },
      // Enough of them for a full read to show that records stand together.
      ...range(11, 15).map((responseId) => ({ responseId, completed: at(0) })),
    ]);
    arrive(world, { responseId: 99, completed: at(0), size: 1, fields: { responseId: "?" } });
    await runTick(world);
    await unreadBefore(world);
    world.delivered.length = 0;
    const before = world.entries(1).filter(({ id }) => id !== 1);

    expect(await run(world)).toEqual([{ surveyId: 1, outcome: "done", putBack: 1, left: { ...none, unreadable: 2 } }]);

    expect(world.entries(1).filter(({ id }) => id !== 1)).toEqual(before);
    await runTick(world);
    expect(deliveredIds(world)).toEqual([1]);
    expect(world.delivered[0]?.data.answers).toHaveLength(2);
  });

  it("emits none that completed before the start", async () => {
    const source = { startFrom: "now" } as const;
    const world = worldWith([
      { responseId: 1, completed: at(-400 * DAY), ...unreadable },
      ...range(11, 15).map((responseId) => ({ responseId, completed: at(-HOUR) })),
    ]);
    await runTick(world, { source });
    await unreadBefore(world);

    expect(await run(world)).toMatchObject([{ outcome: "done", putBack: 0, left: { ...none, beforeStart: 1 } }]);

    world.time.now += MINUTE;
    await runTick(world, { source });
    expect(deliveredIds(world)).toEqual([]);
  });

  it("puts back all others where the records of one cannot be read, and says so", async () => {
    const world = await refused(
      range(1, 60).map((responseId) => ({ responseId, completed: at(responseId), ...(responseId === 30 && large) })),
    );
    fail(world, "get", failure("ODD"));
    expect(await run(world)).toEqual([
      {
        surveyId: 1,
        outcome: "failed",
        putBack: 59,
        left: { ...none, failed: 1 },
        failure: { code: "ODD", message: "ODD" },
      },
    ]);
    expect(world.entries(1).filter(({ state }) => state === "refused")).toMatchObject([{ id: 30 }]);
  });

  it("reads no further than its time goes, also where nothing is quarantined", async () => {
    const world = worldWith(range(1, 3_000).map((responseId) => ({ responseId, completed: at(responseId) })));
    await runTick(world, FOREVER);
    world.after.push(({ operation }) => {
      if (operation === "forRedrive") world.time.now += 10 * SECOND;
    });
    const began = world.time.now;
    expect(await run(world)).toMatchObject([{ outcome: "unfinished" }]);
    expect(world.time.now - began).toBeLessThanOrEqual(50 * SECOND);
  });

  // R12
  it("leaves the unreadable of a survey whose records lie apart to its list: what was kept may not be all", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), ...unreadable }]);
    await runTick(world);
    await unreadBefore(world);
    world.account.scattered = world.time.now;

    expect(await run(world)).toMatchObject([{ putBack: 0, left: { unreadable: 1 } }]);
  });

  it("has an event replaced whose repair the bus has refused", async () => {
    const world = worldWith(range(1, 20).map((responseId) => ({ responseId, completed: at(-HOUR) })));
    await runTick(world);
    world.bus.decide = ({ meta }) => (meta.revision === 2 ? { kind: "refused", code: "NotAuthorized" } : undefined);
    replace(world, { responseId: 20, completed: at(-HOUR), size: 5 });
    arrive(world, { responseId: 21, completed: at(0) });
    await ticks(world, 5);
    expect(world.entry(1, 20)).toMatchObject({ state: "emitted", count: 5, refusedRevision: "NotAuthorized" });
    world.bus.decide = () => undefined;
    await ticks(world, 5);
    const sent = () =>
      world.delivered.filter(({ data }) => data.responseId === 20).map(({ data }) => data.answers.length);
    expect(sent()).toEqual([2]);

    expect(await run(world)).toMatchObject([{ outcome: "done", putBack: 1 }]);

    await ticks(world, 5);
    expect(sent()).toEqual([2, 5]);
    expect(world.entry(1, 20)).toMatchObject({ state: "emitted", count: 5, revision: 2 });
    expect(await run(world)).toMatchObject([{ putBack: 0 }]);
  });

  it("has those read again whose records are gone, in the item or in the vault; not the unreadable", async () => {
    const world = await refused([
      { responseId: 1, completed: at(0) },
      { responseId: 2, completed: at(1), ...large },
      { responseId: 3, completed: at(2), ...unreadable },
    ]);
    for (const id of [1, 3]) await dropRecords(world, id);
    world.objects.clear();

    expect(await run(world)).toMatchObject([{ putBack: 2, left: { ...none, withoutRecords: 1 } }]);
    await ticks(world, 1);
    expect([...deliveredIds(world)].sort()).toEqual([1, 2]);
    expect(world.entry(1, 3)).toMatchObject({ state: "quarantined", reason: "unreadable completed" });
  });

  it("says how far it came when the time is up, and goes on the next time", async () => {
    const world = await refused(range(1, 60).map((responseId) => ({ responseId, completed: at(responseId) })));
    addSurvey(world, 2, []);
    world.after.push(({ operation }) => {
      if (operation === "putEntries") world.time.now += 30 * SECOND;
    });
    expect(await run(world, { surveyIds: [1, 2] })).toMatchObject([
      { outcome: "unfinished", putBack: 40 },
      { outcome: "unfinished", putBack: 0 },
    ]);
    expect(await run(world)).toMatchObject([{ outcome: "done", putBack: 20 }]);
  });

  it.each<[what: string, entry: LedgerEntry, reason: string]>([
    ["of one reason, and leaves the others", { id: 2, state: "refused", reason: "TooLarge" }, "MalformedDetail"],
    [
      "of the code of the bus where an event was not replaced",
      { id: 1, state: "emitted", eventId: "e", count: 2, refusedRevision: "TooLarge" },
      "TooLarge",
    ],
  ])("puts back those %s", async (_what, entry, reason) => {
    const world = await refused();
    await world.ports.state.putEntries(1, [entry]);
    expect(await run(world, { reason })).toMatchObject([{ putBack: 1, left: none }]);
    expect(world.entry(1, 1)).toMatchObject(entry.id === 1 ? { count: 0 } : { state: "waiting" });
    if (entry.id === 2) expect(world.entry(1, 2)).toEqual(entry);
  });
});

describe("a survey", () => {
  it("is told by itself, in the answer and the log, keeps its state, is due at the next tick, and is not polled", async () => {
    const world = await refused();
    addSurvey(world, 2, []);
    await runTick(world);
    const state = structuredClone(world.mark(1));
    const log = memoryLog();
    world.calls.length = 0;

    const surveys = await run(world, { surveyIds: [1, 2], log });

    expect(surveys).toEqual([
      { surveyId: 1, outcome: "done", putBack: 1, left: none },
      { surveyId: 2, outcome: "done", putBack: 0, left: none },
    ]);
    expect(log.lines).toMatchObject(
      surveys.map((details) => ({ level: "info", message: "redrive", details: { source: "main", ...details } })),
    );
    expect(world.calls.filter(({ port }) => port === "service")).toEqual([]);
    expect(world.mark(1)).toEqual(state);
    expect([1, 2].map((id) => world.account.rows.get(id)?.dueAt)).toEqual([world.time.now, undefined]);
  });

  it.each<[what: string, before: (world: MemoryWorld) => unknown]>([
    ["that somebody polls at the moment", (world) => world.ports.state.acquire(1, "poller", 15 * SECOND)],
    [
      "whose lease is lost on the way",
      (world) => {
        world.after.push(({ operation }) => {
          if (operation === "forRedrive") world.time.now += 20 * SECOND;
        });
        world.before.push(async ({ operation }) => {
          if (operation === "renew") await world.ports.state.acquire(1, "other", 15 * SECOND);
        });
      },
    ],
  ])("%s is busy, and nothing of it is touched", async (_what, before) => {
    const world = await refused();
    await before(world);
    expect(await run(world)).toEqual([{ ...nothing, surveyId: 1, outcome: "busy" }]);
    expect(world.entry(1, 1)?.state).toBe("refused");
  });

  it("that the source leaves out is told to be, and keeps what the bus has refused: no tick would send it", async () => {
    const world = await refused();
    expect(await run(world, { surveyIds: [1, 2], surveys: { exclude: [1] } })).toMatchObject([
      { ...nothing, surveyId: 1, outcome: "not polled" },
      { surveyId: 2, outcome: "done" },
    ]);
    expect(world.entry(1, 1)?.state).toBe("refused");
    expect(await run(world)).toMatchObject([{ surveyId: 1, outcome: "done", putBack: 1 }]);
  });

  it("gets its lease back, also after a failure, which is warned of and does not keep the others from it", async () => {
    const world = await refused();
    world.before.push(({ operation, args }) => {
      if (operation === "forRedrive" && args[0] === 2) throw failure("ODD");
    });
    const log = memoryLog();
    expect(await run(world, { surveyIds: [2, 1, 3], log })).toMatchObject([
      { surveyId: 2, outcome: "failed", failure: { code: "ODD", message: "ODD" } },
      { surveyId: 1, outcome: "done", putBack: 1 },
      { surveyId: 3, outcome: "done", putBack: 0 },
    ]);
    expect(log.lines[0]).toMatchObject({ level: "warn", details: { failure: { code: "ODD" } } });
    for (const surveyId of [1, 2, 3]) {
      expect(await world.ports.state.acquire(surveyId, "next", SECOND)).toBeDefined();
    }
  });

  it("is not searched for what a tick at work has found before its row was outdated", async () => {
    const world = worldWith(range(100, 700).map((responseId) => ({ responseId, completed: at(-HOUR) })));
    addSurvey(world, 2, [{ responseId: 2001, completed: at(-HOUR) }]);
    await ticks(world, 40);
    arrive(world, { responseId: 3000, completed: at(40 * MINUTE) });
    arrive(world, { responseId: 3001, surveyId: 2, completed: at(40 * MINUTE) });
    const kept = { records: recordsOf({ responseId: 9_000, completed: at(0) }), details: {} };
    const entry = { id: 9_000, state: "refused", reason: "MalformedDetail", digest: "d", kept } as const;
    let results: SurveyRedrive[] | undefined;
    let isReleased = false;
    world.after.push(({ operation, args }) => {
      if (operation === "release") isReleased ||= (args[0] as { surveyId: number }).surveyId === 1;
    });
    world.before.push(async ({ operation, args }) => {
      if (results !== undefined || operation !== "metrics" || args[0] !== 2) return;
      results = [];
      while (!isReleased) await new Promise((resolve) => setImmediate(resolve));
      world.time.now += 3 * SECOND;
      await world.ports.state.putEntries(1, [{ ...entry, firstSeen: world.time.now }]);
      results = await run(world);
    });
    await ticks(world, 1);
    expect(results).toMatchObject([{ outcome: "done", putBack: 1 }]);
    world.calls.length = 0;
    await ticks(world, 60);
    expect(world.calls.filter(({ operation, args }) => operation === "page" && args[0] === 1).length).toBeLessThan(60);
    expect(new Set(deliveredIds(world)).size).toBe(605);
  });
});
