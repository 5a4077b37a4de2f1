import { randomInt } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { countDue } from "../../../lib/cli/target/surveys.ts";
import { eventId } from "../../../lib/events/index.ts";
import type { LedgerEntry } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();

function fresh() {
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "main");
  return { state, surveyId: randomInt(1, 2 ** 47) };
}

const emitted = (id: number): LedgerEntry => ({
  id,
  state: "emitted",
  digest: `d${id}`,
  count: 2,
  eventId: `e${id}`,
  revision: 1,
  emittedAt: 1_795_261_634_252 + id,
});
const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("entries", () => {
  it("that are not settled are all counted, also those that are looked at no more", async () => {
    const { state, surveyId } = fresh();
    const old: LedgerEntry = { id: 1, state: "open", firstSeen: 1 };
    const young: LedgerEntry = { id: 2, state: "open", firstSeen: 1, nextCheck: 50 };
    const dropped: LedgerEntry = { id: 3, state: "quarantined", reason: "unreadable completed" };
    await state.putEntries(surveyId, [old, young, dropped, emitted(4), { id: 5, state: "before-start" }]);

    const table = { client: test.clients.dynamodb, name: test.table };
    expect(await countDue(table, "main", surveyId, "open")).toBe(2);
    expect(await countDue(table, "main", surveyId, "quarantined")).toBe(1);
    expect(await countDue(table, "main", surveyId, "waiting")).toBe(0);
    expect(await state.due(surveyId, "open", 1_000, 10)).toEqual([young]);
    expect(await state.nextDue(surveyId, "quarantined")).toBeUndefined();
    expect((await state.forRedrive(surveyId, undefined)).entries).toEqual([dropped]);
  });

  it("of what went out hold ids, a digest and a time, and are small", async () => {
    const { state } = fresh();
    const entry = { ...emitted(45_858), digest: "2jmj7l5rSw0yVb_vlWAYkK_YBwk", eventId: eventId("main", 101, 45_858) };
    await state.putEntries(101, [entry]);

    const Key = { pk: "SURVEY#main#101", sk: "RESPONSE#45858" };
    const { Item = {} } = await test.clients.dynamodb.send(new GetCommand({ TableName: test.table, Key }));
    const { id: _, ...fields } = entry;
    expect(Item).toEqual({ ...Key, v: 4, ...fields });
    // As the service counts: text by its bytes, a number by half of its digits and one.
    const bytes = Object.entries(Item).map(
      ([name, value]) =>
        name.length + (typeof value === "number" ? Math.ceil(String(value).length / 2) + 1 : String(value).length),
    );
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(170);
  });

  it("written twice at once are there once, as they were written last", async () => {
    const { state, surveyId } = fresh();
    await state.putEntries(surveyId, [emitted(5), { ...emitted(5), revision: 2 }]);
    expect((await state.entries(surveyId, [5])).get(5)).toMatchObject({ revision: 2 });
  });

  it("are read a hundred at once with one request, and written any number at once", async () => {
    const { state, surveyId } = fresh();
    await state.putEntries(surveyId, ids(130).map(emitted));
    const before = test.aws.counters()["dynamodb:BatchGetItem"] ?? 0;

    expect((await state.entries(surveyId, ids(100))).size).toBe(100);

    expect(test.aws.counters()["dynamodb:BatchGetItem"]).toBe(before + 1);
  });

  it("are all durable when a batch is done in part, or an answer is lost", async () => {
    for (const kind of ["partial", "lose-answer", "throttle"] as const) {
      const { state, surveyId } = fresh();
      const fault = test.aws.faults.add({ service: "dynamodb", operation: "BatchWriteItem", kind, times: 2 });
      await state.putEntries(surveyId, ids(30).map(emitted));
      expect([kind, fault.hits()]).toEqual([kind, 2]);
      expect((await state.entries(surveyId, ids(30))).size).toBe(30);
    }
  });

  it("are all read when a batch is read in part", async () => {
    const { state, surveyId } = fresh();
    await state.putEntries(surveyId, ids(40).map(emitted));
    const fault = test.aws.faults.add({ service: "dynamodb", operation: "BatchGetItem", kind: "partial", times: 3 });
    expect((await state.entries(surveyId, ids(40))).size).toBe(40);
    expect(fault.hits()).toBe(3);
  });

  it("keep foreign JSON as it was read, however odd", async () => {
    const { state, surveyId } = fresh();
    const kept = {
      records: [{ big: 1e300, small: 5e-324, zero: -0.5, text: "", list: [], none: null, "": {} }],
      details: {},
    };
    await state.putEntries(surveyId, [{ id: 1, state: "waiting", nextCheck: 1, kept }]);
    expect((await state.due(surveyId, "waiting", 1, 1))[0]?.kept).toEqual(kept);
  });
});

describe("quarantined entries", () => {
  const quarantined = (id: LedgerEntry["id"], size = 10): LedgerEntry => ({
    id,
    state: "quarantined",
    digest: "d",
    reason: "unreadable completed",
    nextCheck: 50,
    kept: { records: ["x".repeat(size)], details: {} },
  });

  it("come in pages of a megabyte, each once", async () => {
    const { state, surveyId } = fresh();
    await state.putEntries(
      surveyId,
      ids(30).map((id) => quarantined(id, 90_000)),
    );
    const found: LedgerEntry["id"][] = [];
    let pages = 0;
    let from: string | undefined;
    do {
      const page = await state.forRedrive(surveyId, from);
      found.push(...page.entries.map(({ id }) => id));
      pages += 1;
      from = page.next;
    } while (from !== undefined);

    expect(found.map(Number).sort((a, b) => a - b)).toEqual(ids(30));
    expect(pages).toBeGreaterThan(2);
  });
});

describe("the index of what is due", () => {
  it("gives what is due by then, oldest first, at most so many, with all that was kept", async () => {
    const { state, surveyId } = fresh();
    const waiting = (id: number, nextCheck: number): LedgerEntry => ({
      ...{ id, state: "waiting", digest: `d${id}`, count: 1, firstSeen: 10, attempts: 2, nextCheck },
      ...{ origin: "head", reason: "metrics:absent", kept: { records: [id], details: {} } },
    });
    await state.putEntries(surveyId, [waiting(1, 300), waiting(2, 100), waiting(3, 200), waiting(4, 301), emitted(5)]);

    expect(await state.due(surveyId, "waiting", 300, 10)).toEqual([waiting(2, 100), waiting(3, 200), waiting(1, 300)]);
    expect((await state.due(surveyId, "waiting", 300, 2)).map(({ id }) => id)).toEqual([2, 3]);
    expect(await state.due(surveyId, "waiting", 99, 10)).toEqual([]);
    expect(await state.nextDue(surveyId, "waiting")).toBe(100);
    expect(await state.nextDue(surveyId + 1, "waiting")).toBeUndefined();
  });
});

it("what is written late does not put back a later revision", async () => {
  const { state, surveyId } = fresh();
  const later = { ...emitted(1), revision: 2 };
  await state.putEntries(surveyId, [later]);
  const now = Date.now();
  let calls = 0;
  // A worker that stands still between the call and the request.
  const spy = vi.spyOn(Date, "now").mockImplementation(() => (calls++ === 0 ? now : now + 60_000));
  const writing = state.putEntries(surveyId, [emitted(1)]);
  spy.mockRestore();
  await writing;
  expect((await state.entries(surveyId, [1])).get(1)).toEqual(later);
});

it("a call that fails is over: nothing of it is written behind what the next one writes", async () => {
  const { state, surveyId } = fresh();
  const client = test.clients.dynamodb;
  const { send } = client;
  let letGo: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const spy = vi.spyOn(client, "send").mockImplementation(async function (this: typeof client, command) {
    const key = (command.input as { Item?: { sk?: string } }).Item?.sk;
    if (key === "RESPONSE#1") throw new Error("not written");
    if (key === "RESPONSE#2") await slow;
    return Reflect.apply(send, client, [command]);
  } as typeof send);
  let isOver = false;
  const failing = state
    .putEntries(
      surveyId,
      [1, 2].map((id) => ({ id, state: "open", firstSeen: 1 })),
    )
    .catch(() => {
      isOver = true;
    });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  letGo();
  await failing;
  spy.mockRestore();
  expect((await state.entries(surveyId, [1, 2])).has(2)).toBe(true);
});
