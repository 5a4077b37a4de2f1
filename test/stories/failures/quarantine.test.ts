import { describe, expect, it } from "vitest";
import { redrive } from "../../../lib/operator/redrive.ts";
import type { CheckedState, EntryState, LedgerEntry, PublishOutcome } from "../../../lib/polling/index.ts";
import { operate } from "../../lib/support/operation.ts";
import { failing } from "../../support/failing.ts";
import { large, refused } from "../../support/refused.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  poll,
  polled,
  range,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

describe("records in quarantine", () => {
  const DAY = 24 * HOUR;

  it("are dropped after retention.quarantine, in the item and in the vault; item and reason stay", async () => {
    const world = await refused([
      { responseId: 1, completed: at(0) },
      { responseId: 2, completed: at(1), ...large },
    ]);
    surveyOf(world).records.push({ responseId: "?" });
    await poll(world);
    world.time.now += 30 * DAY - HOUR;
    await poll(world);
    expect(world.entries(1).filter(({ kept, keptKey }) => kept ?? keptKey)).toHaveLength(3);

    world.time.now += 2 * HOUR;
    await poll(world);

    expect(world.entries(1).map(({ state, reason }) => [state, reason])).toEqual([
      ["refused", "MalformedDetail"],
      ["refused", "MalformedDetail"],
      ["quarantined", "unreadable responseId"],
    ]);
    expect(world.entries(1).filter((entry) => "kept" in entry || "keptKey" in entry)).toEqual([]);
    expect(world.objects.size).toBe(0);
    expect(await world.ports.state.nextDue(1, "refused")).toBeUndefined();
  });

  it("stay for another hour when the vault fails, and the poll goes on", async () => {
    const world = await refused([{ responseId: 1, completed: at(0), ...large }]);
    world.time.now += 31 * DAY;
    const down = (call: { port: string }): void => {
      if (call.port === "vault") throw new Error("no answer");
    };
    world.before.push(down);
    expect(await poll(world)).toBeDefined();
    expect(world.entry(1, 1)?.keptKey).toBeDefined();
    world.time.now += HOUR - MINUTE;
    await poll(world);
    expect(timesCalled(world, "vault", "delete")).toBe(1);

    world.before.splice(world.before.indexOf(down), 1);
    world.time.now += MINUTE;
    await poll(world);
    expect(world.entry(1, 1)?.keptKey).toBeUndefined();
    expect(world.objects.size).toBe(0);
  });

  it.each<[string, PublishOutcome, EntryState]>([
    ["were put back meanwhile", { kind: "failed", code: "InternalFailure" }, "waiting"],
    ["were put back and refused once more meanwhile", { kind: "refused", code: "StillBad" }, "refused"],
  ])("that %s are not dropped, should the index still show them", async (_what, fate, state) => {
    const world = await refused([{ responseId: 1, completed: at(0) }]);
    world.time.now += 31 * DAY;
    const stale = await world.ports.state.due(1, "refused", world.time.now, 9);
    await operate(world, redrive, { surveyIds: [1] });
    world.bus.decide = () => fate;
    const store = world.ports.state;
    const ports = {
      ...world.ports,
      state: new Proxy(store, {
        get: (_, name) => {
          if (name === "due")
            return async (id: number, kind: CheckedState) =>
              kind === "refused" ? stale : store.due(id, kind, fate.kind === "refused" ? world.time.now : 0, 9);
          if (name === "nextDue") return async () => world.time.now;
          return Reflect.get(store, name);
        },
      }),
    };
    await poll({ ...world, ports });
    expect(world.entry(1, 1)).toMatchObject({ state });
    expect(world.entry(1, 1)?.kept).toBeDefined();
  });
});

const complete = (count: number) => range(1, count).map((responseId) => ({ responseId, completed: at(responseId) }));

describe("a response whose completed cannot be read", () => {
  it("is quarantined with its records, and the others go out", async () => {
    const world = worldWith([...complete(2), { responseId: 3, completed: at(0), fields: { completed: "perhaps" } }]);

    const { mark } = await polled(world);

    expect(deliveredIds(world)).toEqual([1, 2]);
    expect(world.entry(1, 3)).toMatchObject({ state: "quarantined", reason: "unreadable completed" });
    expect(world.entry(1, 3)?.kept).toMatchObject({ records: [{ completed: "perhaps" }, { completed: "perhaps" }] });
    expect(mark.books).toMatchObject({ listed: 3, emitted: 2, quarantined: 1 });
  });

  it("goes out once it can be read", async () => {
    const world = worldWith([...complete(2), { responseId: 3, completed: at(0), fields: { completed: "perhaps" } }]);
    await poll(world);

    for (const record of surveyOf(world).records as { completed: unknown }[]) record.completed = 1;
    await poll(world);

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
  });
});

// R13
describe("a record without a readable responseId", () => {
  const orphan = { responseId: "?", completed: 1, questionId: 1, comment: "private" };

  it("is quarantined by itself, without what privacy drops; the rest of its page goes on", async () => {
    const world = worldWith(complete(3));
    surveyOf(world).records.splice(2, 0, orphan);

    await poll(world, { source: { privacy: { ip: "keep", referrer: "keep", comments: "drop" } } });

    expect(deliveredIds(world)).toEqual([1, 2, 3]);
    const [entry, ...others] = world.entries(1).filter(({ state }) => state === "quarantined");
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ reason: "unreadable responseId", kept: { records: [{ responseId: "?" }] } });
    expect(JSON.stringify(entry)).not.toContain("private");
  });
});

// R13
describe("fields that are irregular, but readable", () => {
  it("do not hold the response back, and the event names them", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), fields: { comment: 7, score: "high", iso3166: [] } }]);

    await poll(world);

    expect(world.delivered[0]?.meta.irregular).toEqual(
      expect.arrayContaining(["answers.1.comment", "answers.2.score", "iso3166"]),
    );
    expect(world.delivered[0]?.data.answers[0]).toMatchObject({ comment: "", raw: { comment: 7, score: "high" } });
  });

  it("include an id and a flag written as text", async () => {
    const world = worldWith([]);
    arrive(world, { responseId: 5, completed: at(0), fields: { responseId: "5", completed: "1" } });
    await poll(world);
    expect(deliveredIds(world)).toEqual([5]);
  });
});

describe("what is kept of a waiting response", () => {
  it("lies in the vault when it is large, and comes back from there", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 60, fields: { comment: "x".repeat(2_000) } }]);
    const mend = failing(world, "metrics");
    await poll(world);
    expect(world.entry(1, 1)?.kept).toBeUndefined();
    expect(world.objects.size).toBe(1);

    mend();
    world.time.now += HOUR;
    await poll(world);
    expect(world.delivered[0]?.data.answers).toHaveLength(60);
  });

  it("is deleted from there once the response is in the ledger, not before", async () => {
    const world = worldWith([
      { responseId: 1, completed: at(0), ...large },
      { responseId: 2, completed: at(1), ...large },
    ]);
    const mend = failing(world, "metrics");
    await poll(world);
    expect(world.objects.size).toBe(2);

    mend();
    world.time.now += HOUR;
    const left: number[] = [];
    world.before.push(({ operation, args }) => {
      const entries = operation === "putEntries" ? (args[1] as LedgerEntry[]) : [];
      if (entries.some(({ state }) => state === "emitted")) left.push(world.objects.size);
    });
    await poll(world);

    expect(left).toEqual([2]);
    expect(world.objects.size).toBe(0);
  });

  it("when it is gone makes the response new again, so that the list gives it once more", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), size: 60, fields: { comment: "x".repeat(2_000) } }]);
    const mend = failing(world, "metrics");
    await poll(world);

    mend();
    world.objects.clear();
    world.time.now += HOUR;
    await poll(world);
    expect(world.entry(1, 1)?.state).toBe("open");
    await poll(world);

    expect(deliveredIds(world)).toEqual([1]);
    expect(world.entry(1, 1)?.state).toBe("emitted");
  });

  it("holds neither comments nor addresses that the privacy setting drops", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0), fields: { comment: "call me on 555" } }]);
    failing(world, "metrics");

    await poll(world, { source: { privacy: { ip: "truncate", referrer: "drop", comments: "drop" } } });

    const kept = JSON.stringify(world.entry(1, 1)?.kept);
    expect(kept).not.toContain("555");
    expect(kept).not.toContain("203.0.113.77");
    expect(kept).toContain("203.0.113.0");
  });
});
