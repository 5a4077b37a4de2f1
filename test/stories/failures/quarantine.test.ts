import { describe, expect, it } from "vitest";
import { redrive } from "../../../lib/operator/redrive.ts";
import type { CheckedState, EntryState, PublishOutcome } from "../../../lib/polling/index.ts";
import { operate } from "../../lib/support/operation.ts";
import { large, refused } from "../../support/refused.ts";
import { at, HOUR, MINUTE, poll, range, surveyOf, timesCalled, worldWith } from "../../support/survey.ts";

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

  it("are met by the first poll after that moment, however often the survey was polled before", async () => {
    const source = { retention: { quarantine: 2 * DAY } };
    const world = await refused([{ responseId: 1, completed: at(0) }], source);
    const until = world.time.now + 2 * DAY;
    for (const _ of range(1, 46)) {
      world.time.now += HOUR + MINUTE;
      await poll(world, { source });
    }
    world.time.now = until - 1;
    await poll(world);
    expect(world.entry(1, 1)?.kept).toBeDefined();
    world.time.now = until;
    await poll(world);
    expect(world.entry(1, 1)?.kept).toBeUndefined();
  });

  it("cost an idle survey one look a day", async () => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);
    await poll(world);
    world.calls.length = 0;
    for (const _ of range(1, 96)) {
      world.time.now += HOUR / 4;
      await poll(world);
    }
    const looks = world.calls.filter(({ port, args }) => port === "state" && args[1] === "quarantined");
    expect(looks).toHaveLength(1);
  });

  it("are many: some at each poll until none is left", async () => {
    const world = await refused(range(1, 230).map((responseId) => ({ responseId, completed: at(responseId) })));
    world.time.now += 31 * DAY;
    for (const _ of range(1, 3)) await poll(world);
    expect(world.entries(1).filter(({ kept }) => kept !== undefined)).toEqual([]);
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
