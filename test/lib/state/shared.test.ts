import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { FOREVER } from "../../../lib/state/keys.ts";
import { createShared, type Shared, setOperatorPause } from "../../../lib/state/shared.ts";
import type { FaultKind } from "../../support/aws/faults.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const noon = Date.UTC(2026, 2, 10, 12);

/** A source that no other test uses; its workers share one clock, which their sleeping moves. */
function fresh() {
  const source = `source-${randomUUID()}`;
  const clock = { now: noon, slept: 0 };
  const table = { client: test.clients.dynamodb, name: test.table };
  const now = () => clock.now;
  const sleep = async (milliseconds: number): Promise<void> => {
    clock.now += milliseconds;
    clock.slept += milliseconds;
  };
  const set = (name: string, value: unknown, sk = "SHARED") =>
    test.clients.dynamodb.send(
      new UpdateCommand({
        TableName: test.table,
        Key: { pk: `SOURCE#${source}`, sk },
        UpdateExpression: "SET #name = :value",
        ExpressionAttributeNames: { "#name": name },
        ExpressionAttributeValues: { ":value": value },
      }),
    );
  const state = createDynamoState(table, source, now);
  return {
    source,
    table,
    clock,
    set,
    state,
    pausedUntil: async () => (await state.account()).pausedUntil,
    /** The fence of the lock, while it is held. */
    lockedBy: async () => {
      const Key = { pk: `SOURCE#${source}`, sk: "ROLE#token" };
      const { Item = {} } = await test.clients.dynamodb.send(new GetCommand({ TableName: test.table, Key }));
      return Item.owner === undefined ? undefined : Item.fence;
    },
    worker: (): Shared => createShared(table, source, { now, sleep }),
    /** A worker whose waiting takes no time: with many of them the shared clock would run away. */
    patient: (): Shared => createShared(table, source, { now, sleep: () => setImmediate() }),
  };
}

const fail = (operation: string, kind: FaultKind, times = 1) =>
  test.aws.faults.add({ service: "dynamodb", operation, kind, times });

const nothing = async (): Promise<undefined> => undefined;

/** Work that goes on until it is told to end. */
function lasting(value: string) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    begun.resolve();
    await end.promise;
    return value;
  };
  return { work, begun: begun.promise, end: end.resolve };
}

describe("a pause", () => {
  it("is known to every worker until it is over", async () => {
    const { worker, state, clock } = fresh();
    await worker().pause(noon + 10 * SECOND);
    expect(await state.account()).toEqual({ pausedUntil: noon + 10 * SECOND, rows: new Map() });
    clock.now += 10 * SECOND;
    expect(await state.account()).toEqual({ rows: new Map() });
  });

  it("is only ever prolonged, whoever tells it when", async () => {
    const { worker, pausedUntil } = fresh();
    const ends = [5, 40, 20, 39, 1].map((seconds) => noon + seconds * SECOND);
    await Promise.all(ends.map((until) => worker().pause(until)));
    expect(await pausedUntil()).toBe(noon + 40 * SECOND);
    await worker().pause(noon + 30 * SECOND);
    expect(await pausedUntil()).toBe(noon + 40 * SECOND);
  });

  it("of a clock that is far off silences nobody, and gives way to a true one", async () => {
    const { worker, set, pausedUntil } = fresh();
    await set("pausedUntil", noon + 24 * 60 * MINUTE);
    expect(await pausedUntil()).toBeUndefined();

    await worker().pause(noon + 5 * SECOND);
    expect(await pausedUntil()).toBe(noon + 5 * SECOND);
    await worker().pause(noon + 24 * 60 * MINUTE);
    await worker().pause(Number.NaN);
    expect(await pausedUntil()).toBe(noon + 5 * SECOND);
  });

  it("whose answer was lost is told all the same", async () => {
    const { worker, pausedUntil } = fresh();
    const fault = fail("UpdateItem", "lose-answer");
    await worker().pause(noon + SECOND);
    expect(fault.hits()).toBe(1);
    expect(await pausedUntil()).toBe(noon + SECOND);
  });
});

describe("what was learned", () => {
  it("comes with the account in its one query, as the last one has saved it", async () => {
    const { worker, state } = fresh();
    const learned = { requestsPerSecond: 12.345678901234567, burst: 7, searching: false, at: noon };
    await worker().saveLearned({ ...learned, burst: 9 });
    await worker().saveLearned(learned);
    await worker().pause(noon + SECOND);
    await state.saveAccount({ overdrawn: 5 });
    const before = test.aws.counters();

    const account = await state.account();

    expect(account).toEqual({ overdrawn: 5, learned, pausedUntil: noon + SECOND, rows: new Map() });
    const after = test.aws.counters();
    expect((after["dynamodb:Query"] ?? 0) - (before["dynamodb:Query"] ?? 0)).toBe(1);
    expect(after["dynamodb:GetItem"]).toBe(before["dynamodb:GetItem"]);
  });
});

// It is a lease, and those have tests of their own.
describe("the token lock", () => {
  it("has one holder at a time, and a fence that grows", async () => {
    const { patient, lockedBy } = fresh();
    let inside = 0;
    let most = 0;
    const fences: unknown[] = [];
    const work = async (): Promise<string> => {
      inside += 1;
      most = Math.max(most, inside);
      fences.push(await lockedBy());
      inside -= 1;
      return "token";
    };

    await Promise.all(Array.from({ length: 6 }, () => patient().renewToken({ ask: work, look: nothing })));

    expect(most).toBe(1);
    expect(fences).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await lockedBy()).toBeUndefined();
  });

  it("is not given away where another's token is there by then: `look` is asked under it", async () => {
    const { worker, lockedBy } = fresh();
    const outcome = await worker().renewToken({
      ask: async () => expect.unreachable("there was no need to ask"),
      look: async () => "theirs",
    });
    expect(outcome).toBe("theirs");
    expect(await lockedBy()).toBeUndefined();
  });

  it("is waited for, and another's token ends the waiting", async () => {
    const { worker, clock } = fresh();
    const first = lasting("first");
    const holding = worker().renewToken({ ask: first.work, look: nothing });
    await first.begun;
    let looks = 0;

    const outcome = await worker().renewToken({
      ask: async () => expect.unreachable("the first one has renewed"),
      look: async () => {
        looks += 1;
        return looks === 4 ? "theirs" : undefined;
      },
    });

    expect(outcome).toBe("theirs");
    expect(clock.slept).toBe(50 + 100 + 200);
    first.end();
    expect(await holding).toBe("first");
  });

  it("is had once the other has given it back, also when its work failed", async () => {
    const { worker } = fresh();
    const failed = worker().renewToken({ look: nothing, ask: () => Promise.reject(new Error("no token")) });
    await expect(failed).rejects.toThrow("no token");
    expect(await worker().renewToken({ ask: async () => "second", look: nothing })).toBe("second");
  });

  it("is not waited for longer than twenty seconds", async () => {
    const { worker, clock, lockedBy } = fresh();
    const first = lasting("first");
    const holding = worker().renewToken({ ask: first.work, look: nothing });
    await first.begun;

    expect(await worker().renewToken({ ask: async () => "without it", look: nothing })).toBe("without it");

    expect(clock.slept).toBe(20 * SECOND);
    // Who went on without it gives back nobody else's.
    expect(await lockedBy()).toBe(1);
    first.end();
    await holding;
  });

  it("that was taken over stays with who has it when the first one comes to its end", async () => {
    const { worker, clock, lockedBy } = fresh();
    const [slow, second] = [lasting("slow"), lasting("second")];
    const first = worker().renewToken({ ask: slow.work, look: nothing });
    await slow.begun;
    clock.now += 31 * SECOND;
    const holding = worker().renewToken({ ask: second.work, look: nothing });
    await second.begun;

    slow.end();
    expect(await first).toBe("slow");

    expect(await lockedBy()).toBe(2);
    second.end();
    await holding;
    expect(await lockedBy()).toBeUndefined();
  });
});

it("a table that does not answer takes no token away that was had meanwhile, nor keeps anybody from one", async () => {
  const { worker } = fresh();
  const meanwhile: ReturnType<typeof fail>[] = [];
  const work = async (): Promise<string> => {
    meanwhile.push(fail("UpdateItem", "error", 50));
    return "token";
  };
  for (let time = 0; time < 2; time += 1) expect(await worker().renewToken({ ask: work, look: nothing })).toBe("token");
  // The second one has not even had the lock.
  expect(meanwhile[0]?.hits()).toBeGreaterThan(5);
});

describe("an operator's pause", () => {
  it("holds for as long as it is set, however long that is, and says since when", async () => {
    const { source, table, state, clock } = fresh();
    await setOperatorPause(table, source, { since: noon, until: FOREVER });
    clock.now += 10 * 365 * 24 * 60 * MINUTE;
    expect(await state.account()).toMatchObject({ pausedSince: noon, pausedUntil: FOREVER });
    await setOperatorPause(table, source, null);
    expect(await state.account()).toEqual({ rows: new Map() });
  });

  it("ends by itself, and the service's own is there all the time", async () => {
    const { source, table, state, clock, worker } = fresh();
    await worker().pause(noon + 3 * MINUTE);
    await setOperatorPause(table, source, { since: noon, until: noon + MINUTE });
    expect(await state.account()).toMatchObject({ pausedSince: noon, pausedUntil: noon + MINUTE });
    clock.now += MINUTE;
    expect(await state.account()).toEqual({ rows: new Map(), pausedUntil: noon + 3 * MINUTE });
  });

  it.each([7, "soon", { since: noon }, { since: noon, until: "soon" }])(
    "that cannot be read is none: %j",
    async (value) => {
      const { set, state } = fresh();
      await set("operatorPause", value);
      expect(await state.account()).toEqual({ rows: new Map() });
    },
  );
});
