import { randomInt } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { emptyMark, type Lease, type Mark, type State } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const SECOND = 1_000;

/** A survey that no other test uses, its state, and the clock that leases run by. */
function fresh(): { state: State; surveyId: number; clock: { now: number }; mark: () => Promise<Mark> } {
  const clock = { now: Date.UTC(2026, 2, 10, 12) };
  const table = { client: test.clients.dynamodb, name: test.table };
  const surveyId = randomInt(1, 2 ** 47);
  return {
    state: createDynamoState(table, "main", () => clock.now),
    surveyId,
    clock,
    mark: () => readMark(table, "main", surveyId),
  };
}

async function take(state: State, surveyId: number, owner: string): Promise<Lease> {
  const lease = await state.acquire(surveyId, owner, 15 * SECOND);
  if (lease === undefined) throw new Error(`${owner} does not get the lease`);
  return lease;
}

const marked = (responseId: number): Mark => ({ ...emptyMark(), highWater: { responseId, completed: "" } });

// R27
describe("a lease", () => {
  it("has one holder at a time, and its fence grows each time it is taken", async () => {
    const { state, surveyId } = fresh();
    const first = await take(state, surveyId, "one");
    expect(await state.acquire(surveyId, "two", 15 * SECOND)).toBeUndefined();

    await state.release(first, first.mark);
    const second = await take(state, surveyId, "two");

    expect(first.fence).toBe(1);
    expect(second.fence).toBe(2);
  });

  it("goes again to its own holder, whose earlier taking is fenced off", async () => {
    const { state, surveyId } = fresh();
    const first = await take(state, surveyId, "one");
    const second = await take(state, surveyId, "one");

    expect(second.fence).toBe(2);
    await expect(state.saveMark(first, first.mark)).rejects.toMatchObject({ code: "LEASE_LOST" });
    await state.saveMark(second, second.mark);
    // A name that only begins alike is someone else.
    expect(await state.acquire(surveyId, "on", 15 * SECOND)).toBeUndefined();
  });

  it("goes to exactly one of many who ask at once", async () => {
    const { state, surveyId } = fresh();
    const taken = await Promise.all(Array.from({ length: 8 }, (_, i) => state.acquire(surveyId, `o${i}`, 15 * SECOND)));
    expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it("of one survey or source says nothing of another", async () => {
    const { state, surveyId } = fresh();
    await take(state, surveyId, "one");
    const other = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "other");
    expect(await state.acquire(surveyId + 1, "two", 15 * SECOND)).toBeDefined();
    expect(await other.acquire(surveyId, "two", 15 * SECOND)).toBeDefined();
  });

  it("that ran out is taken over with the mark as it was last written", async () => {
    const { state, surveyId, clock } = fresh();
    const first = await take(state, surveyId, "one");
    await state.saveMark(first, marked(7));
    clock.now += 15 * SECOND;
    expect(await state.acquire(surveyId, "two", 15 * SECOND)).toBeUndefined();

    clock.now += 1;
    const second = await take(state, surveyId, "two");

    expect(second.fence).toBe(first.fence + 1);
    expect(second.mark).toEqual(marked(7));
  });

  it("that a clock far ahead has taken does not keep the others from the survey until then", async () => {
    const { state, surveyId, clock } = fresh();
    clock.now += 24 * 3_600 * SECOND;
    const first = await take(state, surveyId, "one");
    await state.saveMark(first, marked(7));
    clock.now -= 24 * 3_600 * SECOND;

    const second = await take(state, surveyId, "two");

    expect(second.mark).toEqual(marked(7));
    await expect(state.saveMark(first, marked(1))).rejects.toMatchObject({ code: "LEASE_LOST" });
  });

  it("that is prolonged is not taken over", async () => {
    const { state, surveyId, clock } = fresh();
    const first = await take(state, surveyId, "one");
    clock.now += 14 * SECOND;
    await state.renew(first, 15 * SECOND);
    expect(first.until).toBe(clock.now + 15 * SECOND);
    clock.now += 14 * SECOND;
    expect(await state.acquire(surveyId, "two", 15 * SECOND)).toBeUndefined();
  });

  it("that ran out and was taken by nobody is still its holder's", async () => {
    const { state, surveyId, clock, mark } = fresh();
    const first = await take(state, surveyId, "one");
    clock.now += 60 * SECOND;
    await state.saveMark(first, marked(8));
    await state.renew(first, 15 * SECOND);
    await state.release(first, marked(9));
    expect(await mark()).toEqual(marked(9));
  });
});

describe("who lost the lease", () => {
  it("can write nothing any more: neither mark, renewal nor release", async () => {
    const { state, surveyId, clock, mark } = fresh();
    const first = await take(state, surveyId, "one");
    clock.now += 16 * SECOND;
    const second = await take(state, surveyId, "two");
    await state.saveMark(second, marked(2));

    const writes = await Promise.allSettled([
      state.saveMark(first, marked(1)),
      state.release(first, marked(1)),
      state.renew(first, SECOND),
    ]);
    const refused = { status: "rejected", reason: { code: "LEASE_LOST" } };
    expect(writes).toMatchObject([refused, refused, refused]);

    expect(await mark()).toEqual(marked(2));
    expect(await state.acquire(surveyId, "three", 15 * SECOND)).toBeUndefined();
  });

  it("cannot write either once the other has given it back", async () => {
    const { state, surveyId, clock, mark } = fresh();
    const first = await take(state, surveyId, "one");
    clock.now += 16 * SECOND;
    const second = await take(state, surveyId, "two");
    await state.release(second, marked(2));

    await expect(state.saveMark(first, marked(1))).rejects.toMatchObject({ code: "LEASE_LOST" });
    await expect(state.release(first, marked(1))).rejects.toMatchObject({ code: "LEASE_LOST" });

    expect(await mark()).toEqual(marked(2));
  });

  it("under the same owner's name is told apart: two runs may share it", async () => {
    const { state, surveyId, clock } = fresh();
    const first = await take(state, surveyId, "same");
    clock.now += 16 * SECOND;
    await take(state, surveyId, "same");
    await expect(state.saveMark(first, marked(1))).rejects.toMatchObject({ code: "LEASE_LOST" });
  });
});

describe("a conditional write whose answer was lost, and that the SDK made again", () => {
  const lose = () =>
    test.aws.faults.add({ service: "dynamodb", operation: "UpdateItem", kind: "lose-answer", times: 1 });

  it("has taken the lease", async () => {
    const { state, surveyId } = fresh();
    const fault = lose();
    const lease = await take(state, surveyId, "one");
    expect(fault.hits()).toBe(1);
    await state.saveMark(lease, marked(1));
  });

  it("has prolonged it, and written the mark", async () => {
    const { state, surveyId, mark } = fresh();
    const lease = await take(state, surveyId, "one");
    lose();
    await state.renew(lease, 15 * SECOND);
    const fault = lose();
    await state.saveMark(lease, marked(3));
    expect(fault.hits()).toBe(1);
    expect(await mark()).toEqual(marked(3));
  });

  it("has given it back, with the mark", async () => {
    const { state, surveyId, mark } = fresh();
    const lease = await take(state, surveyId, "one");
    const fault = lose();
    await state.release(lease, marked(4));
    expect(fault.hits()).toBe(1);
    expect(await mark()).toEqual(marked(4));
    expect((await take(state, surveyId, "two")).fence).toBe(2);
  });

  it("is not taken for somebody else's success", async () => {
    const { state, surveyId, clock } = fresh();
    const first = await take(state, surveyId, "one");
    clock.now += 16 * SECOND;
    await take(state, surveyId, "two");
    lose();
    await expect(state.saveMark(first, marked(1))).rejects.toMatchObject({ code: "LEASE_LOST" });
  });
});

describe("a table that fails for a moment", () => {
  it.each(["throttle", "error", "down"] as const)("with %s does not lose the lease", async (kind) => {
    const { state, surveyId } = fresh();
    const fault = test.aws.faults.add({ service: "dynamodb", operation: "UpdateItem", kind, times: 1 });
    const lease = await take(state, surveyId, "one");
    await state.release(lease, marked(1));
    expect(fault.hits()).toBe(1);
  });
});

// R27
describe("a mark written by a newer version", () => {
  it("is refused, and its lease not taken", async () => {
    const { state, surveyId, clock } = fresh();
    const lease = await take(state, surveyId, "newer");
    await state.release(lease, marked(1));
    await test.clients.dynamodb.send(
      new UpdateCommand({
        TableName: test.table,
        Key: { pk: `SURVEY#main#${surveyId}`, sk: "MARK" },
        UpdateExpression: "SET v = :v",
        ExpressionAttributeValues: { ":v": 3 },
      }),
    );
    clock.now += 60 * SECOND;

    await expect(state.acquire(surveyId, "older", 15 * SECOND)).rejects.toMatchObject({ code: "STATE_REFUSED" });
  });
});

it("writes of a mark come one after the other, in the order in which they were begun, also after one that failed", async () => {
  const { state, surveyId, mark } = fresh();
  const lease = await take(state, surveyId, "one");
  const client = test.clients.dynamodb;
  const send = client.send.bind(client);
  const begun: (() => void)[] = [];
  const slow = vi.spyOn(client, "send").mockImplementation((async (command: never) => {
    const isFirst = begun.length === 0;
    await new Promise<void>((resolve) => begun.push(resolve));
    if (isFirst) throw new Error("the table is throttled");
    return send(command);
  }) as never);
  const writes = [state.saveMark(lease, marked(1)), state.saveMark(lease, marked(2)), state.release(lease, marked(3))];
  const outcome = Promise.allSettled(writes);
  for (let write = 0; write < writes.length; write += 1) {
    await vi.waitFor(() => expect(begun).toHaveLength(write + 1));
    begun[write]?.();
  }

  expect((await outcome).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  slow.mockRestore();
  expect(await mark()).toEqual(marked(3));
});
