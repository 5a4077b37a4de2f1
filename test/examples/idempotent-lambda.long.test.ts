import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { IdempotentLambda } from "../../examples/idempotent-lambda/stack.ts";
import { type BooksClosed, digestSum, eventId, type ResponseCompleted } from "../../lib/events/index.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/golden.ts";
import { synthesizeExample } from "./support/template.ts";

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

/** An event of a response of a survey that no other test uses. */
function completed(surveyId: number, responseId: number, detectedAt = "2026-03-10T12:00:30.000Z") {
  const event = golden("ordinary");
  const meta = { ...event.detail.meta, eventId: eventId("main", surveyId, responseId), detectedAt };
  return { ...event, detail: { meta, data: { ...event.detail.data, surveyId, responseId } } };
}

function updated(surveyId: number, responseId: number, revision: number, detectedAt: string) {
  const event = golden<"response.updated">("updated");
  const meta = { ...event.detail.meta, eventId: eventId("main", surveyId, responseId, revision), revision, detectedAt };
  return { ...event, detail: { meta, data: { ...event.detail.data, surveyId, responseId } } };
}

/** Books of a survey, with the events of these ids. */
function closed(surveyId: number, ids: readonly string[], detectedAt = "2026-03-10T13:00:00.000Z") {
  const event = golden<"books.closed">("books-closed");
  const sum = digestSum();
  for (const id of ids) sum.add(id);
  const { meta, data }: BooksClosed = event.detail;
  return { ...event, detail: { meta: { ...meta, detectedAt }, data: { ...data, surveyId, digest: sum.digest() } } };
}

const idOf = ({ detail }: { detail: ResponseCompleted }) => detail.meta.eventId;

describe("a letter", () => {
  it("goes out once, however often the event comes", async () => {
    const event = completed(1, 11);

    await handler(event, context);
    await handler({ ...event, id: "another delivery" }, context);

    expect(await aws.messages(lettersUrl)).toEqual([
      {
        eventId: idOf(event),
        surveyId: 1,
        responseId: 11,
        customer: event.detail.data.response.crk,
        kind: event.detail.data.summary.nps?.class,
        test: false,
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
    await handler(updated(1, 14, 2, "2026-03-10T12:10:00.000Z"), context);
    expect(await aws.messages(lettersUrl)).toEqual([]);
  });

  it("of an unreadable event is refused", async () => {
    const event = completed(1, 15);
    Object.assign(event.detail.data, { surveyId: "one" });
    await expect(handler(event, context)).rejects.toThrow("surveyId");
  });
});

/** What the function logs of these books. */
async function said(books: ReturnType<typeof closed>): Promise<unknown[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await handler(books, context);
    return log.mock.calls.map(([line]) => JSON.parse(String(line)));
  } finally {
    log.mockRestore();
  }
}

describe("the books", () => {
  it("are in order where every event has come, in whatever order", async () => {
    const first = completed(2, 21);
    const second = completed(2, 22);
    const update = updated(2, 21, 2, "2026-03-10T12:30:00.000Z");
    for (const event of [update, second, first, second]) await handler(event, context);

    const lines = await said(closed(2, [idOf(update), idOf(second)]));
    expect(lines).toEqual([{ message: "Survey 2 of main, books 2: complete", events: 2 }]);
  });

  it("raise an error that says how many events are missing", async () => {
    const [first, lost] = [completed(3, 31), completed(3, 32)];
    await handler(first, context);

    const checking = handler(closed(3, [idOf(first), idOf(lost)]), context);

    await expect(checking).rejects.toThrow("Survey 3 of main, books 2: events that have not come: 1.");
    await handler(lost, context);
    expect(await said(closed(3, [idOf(first), idOf(lost)]))).toMatchObject([{ events: 2 }]);
  });

  it("raise an error where as many events have come, but not the same ones", async () => {
    await handler(completed(4, 41), context);
    const other = idOf(completed(4, 42));
    await expect(handler(closed(4, [other]), context)).rejects.toThrow("other events have come than were sent");
  });

  it("do not count what was made after they closed, and take each response as it was then", async () => {
    const first = completed(5, 51);
    await handler(first, context);
    await handler(updated(5, 51, 2, "2026-03-10T14:00:00.000Z"), context);
    await handler(completed(5, 52, "2026-03-10T14:00:00.000Z"), context);

    const lines = await said(closed(5, [idOf(first)]));
    expect(lines).toEqual([{ message: "Survey 5 of main, books 2: complete", events: 1 }]);
  });

  it("count an event by its first delivery, also where a repeat was made after they closed", async () => {
    const first = completed(6, 61);
    await handler(first, context);
    await handler(completed(6, 61, "2026-03-10T14:00:00.000Z"), context);

    const lines = await said(closed(6, [idOf(first)]));
    expect(lines).toEqual([{ message: "Survey 6 of main, books 2: complete", events: 1 }]);
  });

  it("of a test event are passed over", async () => {
    const event = closed(7, ["never sent"]);
    Object.assign(event.detail.meta, { test: true });
    expect(await said(event)).toEqual([]);
  });
});

describe("the stack", { timeout: 120_000 }, () => {
  it("hears of completed and updated responses and of books, keeps its tables, and gives nothing up in silence", () => {
    const { template, findings } = synthesizeExample((app) => new IdempotentLambda(app, "Test", { busName: "team" }));
    template.hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "team",
      EventPattern: {
        source: ["survey-poller"],
        "detail-type": ["response.completed", "response.updated", "books.closed"],
      },
    });
    template.allResources("AWS::DynamoDB::Table", { DeletionPolicy: "RetainExceptOnCreate" });
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: {} },
    });
    // The queue that stands for the reader's system, and the one that dead letters go to.
    expect(findings).toEqual(["AwsSolutions-SQS3"]);
  });
});
