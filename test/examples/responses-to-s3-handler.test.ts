import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { SQSEvent } from "aws-lambda";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Row } from "../../examples/responses-to-s3/row.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/golden.ts";

let aws: ExampleAws;
let s3: S3Client;
let handler: typeof import("../../examples/responses-to-s3/handler.ts").handler;

beforeAll(async () => {
  aws = await startExampleAws();
  await aws.object("responses", "begun", "");
  Object.assign(process.env, aws.env, { BUCKET: "responses" });
  s3 = new S3Client({});
  ({ handler } = await import("../../examples/responses-to-s3/handler.ts"));
}, 60_000);

afterAll(async () => {
  s3.destroy();
  await aws.close();
});

afterEach(() => void vi.restoreAllMocks());

/** A batch of the queue with these messages. */
function batch(...bodies: unknown[]): SQSEvent {
  const records = bodies.map((body, index) => ({ messageId: `message-${index}`, body: JSON.stringify(body) }));
  return { Records: records } as SQSEvent;
}

/** Rows of the objects of a survey. */
async function rowsOf(surveyId: number): Promise<Row[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "responses", Prefix: "events/" }));
  const keys = Contents.map(({ Key = "" }) => Key).filter((key) => key.includes(`/survey=${surveyId}/`));
  return Promise.all(
    keys.map(async (Key) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: "responses", Key }));
      return JSON.parse((await Body?.transformToString()) ?? "") as Row;
    }),
  );
}

/** A golden event, as one of another survey. */
function of(surveyId: number, name: string) {
  const event = golden(name);
  return { ...event, detail: { ...event.detail, data: { ...event.detail.data, surveyId } } };
}

describe("the function", () => {
  it("stores events and deletions, each once, however often it comes", async () => {
    const events = [of(1, "ordinary"), of(1, "updated"), of(1, "deleted")];
    expect(await handler(batch(...events, events[0]))).toEqual({ batchItemFailures: [] });
    await handler(batch(...events));
    const rows = await rowsOf(1);
    expect(rows.map(({ event_type }) => event_type).sort()).toEqual([
      "response.completed",
      "response.deleted",
      "response.updated",
    ]);
  });

  it("stores a large event with the answers that its claim check points to", async () => {
    const event = of(2, "large");
    const ref = event.detail.data.answersRef;
    const answers = golden("comment").detail.data.answers;
    await aws.object(ref?.bucket ?? "", ref?.key ?? "", JSON.stringify(answers));
    expect(await handler(batch(event))).toEqual({ batchItemFailures: [] });
    const [row] = await rowsOf(2);
    expect(row?.answers?.map(({ comment }) => comment)).toEqual(answers.map(({ comment }) => comment));
  });

  it("gives back alone what it cannot store, and logs nothing of it", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = of(3, "comment");
    const comment = "call me at home";
    const answers = [{ ...broken.detail.data.answers[0], comment, questionId: "7" }];
    const unreadable = { ...broken, detail: { ...broken.detail, data: { ...broken.detail.data, answers } } };
    const lost = { ...of(3, "large") };
    lost.detail.data.answersRef = { bucket: "responses", key: "gone.json", bytes: 1 };
    const { batchItemFailures } = await handler(batch(unreadable, of(3, "ordinary"), lost));
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(["message-0", "message-2"]);
    expect(await rowsOf(3)).toHaveLength(1);
    expect(log.mock.calls.flat()).toEqual([
      "message message-0 is not stored: ZodError",
      "message message-2 is not stored: NoSuchKey",
    ]);
  });

  it("passes over test events, and over types that it does not know", async () => {
    const test = of(4, "test");
    const unknown = { ...of(4, "ordinary"), "detail-type": "response.archived" };
    expect(await handler(batch(test, unknown))).toEqual({ batchItemFailures: [] });
    expect(await rowsOf(4)).toEqual([]);
  });
});
