import { expect, it } from "vitest";
import { eventsIn, olderEventIds } from "../../../lib/cli/event-ids.ts";
import { eventId } from "../../../lib/events/index.ts";

const id = "6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3";
const detail = { meta: { eventId: id, revision: 1 }, data: {} };
const envelope = { id: "12345678-1234-1234-1234-123456789012", "detail-type": "response.completed", detail };

it.each([
  ["an id", id, [id]],
  ["capitals", id.toUpperCase(), [id]],
  ["JSON text", `"${id}",`, [id]],
  ["the first column of a CSV", `${id};x;${eventId("a", 1, 1)}`, [id]],
  ["the second column", `x,${id}`, undefined],
  ["an envelope", JSON.stringify(envelope), [id]],
  ["a detail", JSON.stringify(detail), [id]],
  ["a row of a consumer", JSON.stringify({ eventId: id, at: 1 }), [id]],
  ["a failed invocation", JSON.stringify({ requestPayload: envelope }), [id]],
  ["a message of SNS", JSON.stringify({ Message: JSON.stringify(envelope) }), [id]],
  ["a batch", JSON.stringify({ Records: [{ body: JSON.stringify(envelope) }] }), [id]],
  ["two documents", JSON.stringify(envelope) + JSON.stringify(envelope), [id, id]],
  ["a test event", JSON.stringify({ detail: { meta: { ...detail.meta, test: true } } }), []],
  ["an event of another kind", JSON.stringify({ detail: { meta: { eventId: id }, data: { lastEventId: id } } }), []],
  ["something else", "hello", undefined],
  ["other JSON", '{"a":[1,{}]}', undefined],
])("of %s are taken", (_what, line, ids) => {
  const told = eventsIn(line);
  expect(told.length === 0 ? undefined : told.flatMap((one) => one.id ?? [])).toEqual(ids);
});

it("of earlier revisions are computed", () => {
  const [first, second, third] = [1, 2, 3].map((revision) => eventId("main", 7, 9, revision));
  expect(olderEventIds("main", 7, 9, first ?? "")).toEqual([]);
  expect(olderEventIds("main", 7, 9, third ?? "")).toEqual([first, second]);
  expect(olderEventIds("main", 7, 9, id)).toBeUndefined();
});
