import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { digestSum, eventId } from "../../lib/events/index.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/golden.ts";

const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

let aws: ExampleAws;
let lettersUrl: string;
let handler: typeof import("../../examples/idempotent-lambda/handler.ts").handler;

beforeAll(async () => {
  aws = await startExampleAws();
  await aws.table("done", "id");
  await aws.table("receipts", "survey", "response");
  lettersUrl = await aws.queue("letters");
  Object.assign(process.env, aws.env, { DONE_TABLE: "done", RECEIPTS_TABLE: "receipts", LETTERS_URL: lettersUrl });
  ({ handler } = await import("../../examples/idempotent-lambda/handler.ts"));
});

afterAll(() => aws.close());

const BEFORE = "2026-03-10T12:00:30.000Z";
const CLOSED = "2026-03-10T13:00:00.000Z";
const AFTER = "2026-03-10T14:00:00.000Z";

/** An event of a response of a survey that no other test uses. */
function completed(surveyId: number, responseId: number, detectedAt = BEFORE) {
  const event = golden("ordinary");
  const meta = { ...event.detail.meta, eventId: eventId("main", surveyId, responseId), detectedAt };
  return { ...event, detail: { meta, data: { ...event.detail.data, surveyId, responseId } } };
}

function updated(surveyId: number, responseId: number, detectedAt = BEFORE) {
  const event = golden<"response.updated">("updated");
  const id = eventId("main", surveyId, responseId, 2);
  const meta = { ...event.detail.meta, eventId: id, revision: 2, detectedAt };
  return { ...event, detail: { meta, data: { ...event.detail.data, surveyId, responseId } } };
}

type Event = ReturnType<typeof completed> | ReturnType<typeof updated>;

/** Books of a survey, with these events. */
function closed(surveyId: number, events: readonly Event[], more: object = {}) {
  const books = golden<"books.closed">("books-closed");
  const sum = digestSum();
  for (const { detail } of events) sum.add(detail.meta.eventId);
  const meta = { ...books.detail.meta, detectedAt: CLOSED, ...more };
  return { ...books, detail: { meta, data: { ...books.detail.data, surveyId, digest: sum.digest() } } };
}

describe("a letter", () => {
  it("goes out once, however often the event comes", async () => {
    const event = completed(1, 11);

    await handler(event, context);
    await handler({ ...event, id: "another delivery" }, context);

    const { meta, data } = event.detail;
    const { nps } = data.summary;
    expect(await aws.messages(lettersUrl)).toEqual([
      {
        ...{ eventId: meta.eventId, surveyId: 1, responseId: 11 },
        ...{ customer: data.response.crk, kind: nps?.class, test: false },
      },
    ]);
  });

  it("goes out once where two deliveries come at the same moment: one is told to come again", async () => {
    const event = completed(1, 12);

    const outcomes = await Promise.allSettled([handler(event, context), handler(event, context)]);
    await handler(event, context);

    expect(await aws.messages(lettersUrl)).toHaveLength(1);
    const [refused] = outcomes.filter((one) => one.status === "rejected");
    expect(refused?.reason.name).toBe("IdempotencyAlreadyInProgressError");
  });

  it("goes out at the next attempt where it failed", async () => {
    const event = completed(1, 13);
    process.env.LETTERS_URL = `${lettersUrl}-gone`;
    await expect(handler(event, context)).rejects.toThrow();
    process.env.LETTERS_URL = lettersUrl;

    await handler(event, context);

    expect(await aws.messages(lettersUrl)).toHaveLength(1);
  });

  it("is not sent again for an update", async () => {
    await handler(updated(1, 14), context);
    expect(await aws.messages(lettersUrl)).toEqual([]);
  });

  it("of an unreadable event is refused", async () => {
    const event = completed(1, 15);
    Object.assign(event.detail.data, { surveyId: "one" });
    await expect(handler(event, context)).rejects.toThrow("surveyId");
  });
});

describe("the books", () => {
  it.each<[what: string, came: Event[], counted: Event[], verdict: string]>([
    [
      "are in order where every event has come, in whatever order",
      [updated(2, 21), completed(2, 22), completed(2, 21), completed(2, 22)],
      [updated(2, 21), completed(2, 22)],
      "complete",
    ],
    [
      "raise an error that says how many events are missing",
      [completed(3, 31)],
      [completed(3, 31), completed(3, 32)],
      "events that have not come: 1.",
    ],
    [
      "raise an error where as many events have come, but not the same ones",
      [completed(4, 41)],
      [completed(4, 42)],
      "other events have come than were sent",
    ],
    [
      "do not count what was made after they closed, and take each response as it was then",
      [completed(5, 51), updated(5, 51, AFTER), completed(5, 52, AFTER)],
      [completed(5, 51)],
      "complete",
    ],
    [
      "count an event by its first delivery, also where a repeat was made after they closed",
      [completed(6, 61), completed(6, 61, AFTER)],
      [completed(6, 61)],
      "complete",
    ],
  ])("%s", async (_what, came, counted, verdict) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    for (const event of came) await handler(event, context);
    const { surveyId } = counted[0]?.detail.data ?? expect.fail();
    const said = `Survey ${surveyId} of main, books 2: ${verdict}`;
    const checking = handler(closed(surveyId, counted), context);
    if (verdict === "complete") {
      await checking;
      expect(log.mock.calls).toEqual([[JSON.stringify({ message: said, events: counted.length })]]);
    } else {
      await expect(checking).rejects.toThrow(said);
    }
    log.mockRestore();
  });

  it("of a test event are passed over", async () => {
    await expect(handler(closed(7, [completed(7, 71)], { test: true }), context)).resolves.toBeUndefined();
  });
});
