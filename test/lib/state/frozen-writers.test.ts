import { randomInt } from "node:crypto";
import { expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../../lib/polling/state-types.ts";
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

it("what was written late does not put back a later revision", async () => {
  const surveyId = randomInt(1, 2 ** 47);
  const one = { client: test.clients.dynamodb, name: test.table };
  await createDynamoState(one, "main").putEntries(surveyId, [emitted(2)]);
  const now = Date.now();
  let calls = 0;
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
