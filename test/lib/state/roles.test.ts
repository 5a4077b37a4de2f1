import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Role, RoleLease, State } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
const noon = Date.UTC(2026, 2, 10, 12);

/** The state of a source that no other test uses, and the clock that its leases run by. */
function fresh(): { state: State; source: string; clock: { now: number } } {
  const clock = { now: noon };
  const source = `s${randomUUID().slice(0, 8)}`;
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, source, () => clock.now);
  return { state, source, clock };
}

const ask = (state: State, role: Role, owner: string) => state.takeRole(role, owner, 15 * SECOND);

async function take(state: State, role: Role, owner: string): Promise<RoleLease> {
  const lease = await ask(state, role, owner);
  if (lease === undefined) throw new Error(`${owner} does not get the ${role}`);
  return lease;
}

const item = async (source: string, role: Role): Promise<Record<string, unknown> | undefined> => {
  const Key = { pk: `SOURCE#${source}`, sk: `ROLE#${role}` };
  return (await test.clients.dynamodb.send(new GetCommand({ TableName: test.table, Key, ConsistentRead: true }))).Item;
};

async function noteOf(state: State): Promise<object> {
  const { rows: _, ...note } = await state.account();
  return note;
}

// R25, R27
describe("a role of a source", () => {
  it.each<Role>(["tick", "catch-up"])("is one invocation's at a time: the %s", async (role) => {
    const { state } = fresh();
    const first = await take(state, role, "one");
    expect(first).toMatchObject({ role, fence: 1, until: noon + 15 * SECOND, note: {} });
    expect(await ask(state, role, "two")).toBeUndefined();

    await state.giveBackRole(first);

    expect((await take(state, role, "two")).fence).toBe(2);
  });

  it("goes to exactly one of many that ask at once", async () => {
    const { state } = fresh();
    const taken = await Promise.all(Array.from({ length: 8 }, (_, i) => ask(state, "tick", `o${i}`)));
    expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it("says nothing of the other role, of another source, or of a survey", async () => {
    const { state } = fresh();
    await take(state, "tick", "one");
    expect(await ask(state, "catch-up", "two")).toBeDefined();
    expect(await ask(fresh().state, "tick", "two")).toBeDefined();
    expect(await state.acquire(1, "two", 15 * SECOND)).toBeDefined();
  });

  it("that ran out is taken over, and whoever had it can neither prolong it nor give it back", async () => {
    const { state, clock } = fresh();
    const first = await take(state, "tick", "one");
    clock.now += 15 * SECOND;
    expect(await ask(state, "tick", "two")).toBeUndefined();
    clock.now += 1;

    const second = await take(state, "tick", "two");

    expect(second.fence).toBe(2);
    first.note = { lastTick: 1 };
    await expect(state.renew(first, 15 * SECOND)).rejects.toMatchObject({ code: "LEASE_LOST" });
    await expect(state.giveBackRole(first)).rejects.toMatchObject({ code: "LEASE_LOST", message: /tick/ });
    await state.giveBackRole(second);
    await expect(state.giveBackRole(first)).rejects.toMatchObject({ code: "LEASE_LOST" });
    expect(await noteOf(state)).toEqual({});
  });

  it("that is prolonged is not taken over", async () => {
    const { state, clock } = fresh();
    const lease = await take(state, "catch-up", "one");
    clock.now += 14 * SECOND;
    await state.renew(lease, 15 * SECOND);
    expect(lease.until).toBe(clock.now + 15 * SECOND);
    clock.now += 14 * SECOND;
    expect(await ask(state, "catch-up", "two")).toBeUndefined();
  });

  it("that a clock far ahead has taken keeps nobody from it until then", async () => {
    const { state, clock } = fresh();
    clock.now += DAY;
    const first = await take(state, "tick", "one");
    clock.now -= DAY;

    expect(await noteOf(state)).toEqual({});
    expect((await take(state, "tick", "two")).fence).toBe(2);
    await expect(state.renew(first, 15 * SECOND)).rejects.toMatchObject({ code: "LEASE_LOST" });
  });

  it("goes again to its own holder's name, as after a process that was killed, and not to one that only begins alike", async () => {
    const { state } = fresh();
    const first = await take(state, "catch-up", "local-1");
    expect(await ask(state, "catch-up", "local-")).toBeUndefined();
    expect(await ask(state, "catch-up", "local-10")).toBeUndefined();
    expect((await take(state, "catch-up", "local-1")).fence).toBe(2);
    await expect(state.giveBackRole(first)).rejects.toMatchObject({ code: "LEASE_LOST" });
  });

  it("of a newer version is left alone", async () => {
    const { state, source } = fresh();
    await state.giveBackRole(await take(state, "tick", "newer"));
    await test.clients.dynamodb.send(
      new UpdateCommand({
        TableName: test.table,
        Key: { pk: `SOURCE#${source}`, sk: "ROLE#tick" },
        UpdateExpression: "SET v = :v",
        ExpressionAttributeValues: { ":v": 3 },
      }),
    );
    const before = await item(source, "tick");
    await expect(ask(state, "tick", "older")).rejects.toMatchObject({ code: "STATE_REFUSED" });
    expect(await item(source, "tick")).toEqual(before);
  });
});

describe("the note of the tick", () => {
  const note = { lastTick: noon, listedAt: noon - 60 * SECOND };

  it("is written when the role is given back, and is there for the next tick and its account", async () => {
    const { state, source } = fresh();
    const lease = await take(state, "tick", "one");
    lease.note = note;
    await state.giveBackRole(lease);

    expect(await state.account()).toEqual({ ...note, rows: new Map() });
    // Nothing is left of the lease but its fence.
    const left = { pk: `SOURCE#${source}`, sk: "ROLE#tick", v: 2, fence: 1, note };
    expect(await item(source, "tick")).toEqual(left);
    expect((await take(state, "tick", "two")).note).toEqual(note);
  });

  it("is the one before while a tick is under way, and after one that never gave the role back", async () => {
    const { state, clock } = fresh();
    const first = await take(state, "tick", "one");
    first.note = note;
    await state.giveBackRole(first);

    await take(state, "tick", "two");
    expect(await noteOf(state)).toEqual(note);
    clock.now += 15 * SECOND + 1;
    expect(await noteOf(state)).toEqual(note);
  });

  it("is not that of a catch-up", async () => {
    const { state } = fresh();
    const lease = await take(state, "catch-up", "one");
    lease.note = note;
    await state.giveBackRole(lease);
    expect(await state.account()).toEqual({ rows: new Map() });
  });
});

describe("a write of a role whose answer was lost, and that the SDK made again", () => {
  const lose = () =>
    test.aws.faults.add({ service: "dynamodb", operation: "UpdateItem", kind: "lose-answer", times: 1 });

  it("has taken the role", async () => {
    const { state } = fresh();
    const fault = lose();
    const lease = await take(state, "tick", "one");
    expect(fault.hits()).toBe(1);
    await state.giveBackRole(lease);
    expect(await ask(state, "tick", "two")).toBeDefined();
  });

  it("has prolonged it, and given it back with its note", async () => {
    const { state } = fresh();
    const lease = await take(state, "tick", "one");
    lose();
    await state.renew(lease, 15 * SECOND);
    lease.note = { lastTick: noon };
    const fault = lose();
    await state.giveBackRole(lease);
    expect(fault.hits()).toBe(1);
    expect(await noteOf(state)).toEqual({ lastTick: noon });
  });

  it("is not taken for another invocation's success", async () => {
    const { state, clock } = fresh();
    const first = await take(state, "tick", "one");
    clock.now += 16 * SECOND;
    await take(state, "tick", "two");
    lose();
    await expect(state.giveBackRole(first)).rejects.toMatchObject({ code: "LEASE_LOST" });
  });
});
