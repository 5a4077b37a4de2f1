import { randomInt } from "node:crypto";
import { expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const emitted = (revision: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: 1,
  state: "emitted",
  revision,
  count: 2,
  eventId: `e${revision}`,
  ...more,
});

it("an attempt at a repair does not put back a later revision", async () => {
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "main");
  const surveyId = randomInt(1, 2 ** 47);
  await state.putEntries(surveyId, [emitted(1)]);
  await state.putEntries(surveyId, [emitted(2)]);
  await state.putEntries(surveyId, [emitted(1, { attempts: 1 })]);
  expect((await state.entries(surveyId, [1])).get(1)).toMatchObject({ revision: 2 });
  await state.putEntries(surveyId, [emitted(3)]);
  expect((await state.entries(surveyId, [1])).get(1)).toMatchObject({ revision: 3 });
});

it("what is written late does not put back a later revision", async () => {
  const surveyId = randomInt(1, 2 ** 47);
  const one = { client: test.clients.dynamodb, name: test.table };
  await createDynamoState(one, "main").putEntries(surveyId, [emitted(2)]);
  const now = Date.now();
  let calls = 0;
  // A worker that stands still between the call and the request.
  const spy = vi.spyOn(Date, "now").mockImplementation(() => (calls++ === 0 ? now : now + 60_000));
  const writing = createDynamoState(one, "main").putEntries(surveyId, [emitted(1)]);
  spy.mockRestore();
  await writing;
  expect((await createDynamoState(one, "main").entries(surveyId, [1])).get(1)).toMatchObject({ revision: 2 });
});

it("an open entry does not take the place of a waiting one, but for one that keeps nothing any more", async () => {
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "main");
  const surveyId = randomInt(1, 2 ** 47);
  await state.putEntries(surveyId, [{ id: 1, state: "waiting", kept: { a: 1 }, nextCheck: 1 }]);
  await state.putEntries(surveyId, [{ id: 1, state: "open", firstSeen: 1 }]);
  expect((await state.entries(surveyId, [1])).get(1)).toMatchObject({ state: "waiting" });
  await state.putEntries(surveyId, [{ id: 1, state: "open", reason: "kept-records-gone" }]);
  expect((await state.entries(surveyId, [1])).get(1)).toMatchObject({ state: "open" });
});

it("a call that fails is over: nothing of it is written behind what the next one writes", async () => {
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "main");
  const surveyId = randomInt(1, 2 ** 47);
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
