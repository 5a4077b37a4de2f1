import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { AFTER, type Contents, closed, completed, updated } from "./support/events.ts";

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
  it.each<[what: string, came: Contents[], counted: Contents[], verdict: string]>([
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
    const books = closed(7, [completed(7, 71)]);
    Object.assign(books.detail.meta, { test: true });
    await expect(handler(books, context)).resolves.toBeUndefined();
  });
});
