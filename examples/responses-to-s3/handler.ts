import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import {
  type Answer,
  type ResponseCompleted,
  type ResponseUpdated,
  responseCompleted,
  responseDeleted,
  responseUpdated,
} from "survey-poller/events";
import { keyOf, type Row, rowOfContents, rowOfDeletion } from "./row.ts";

const s3 = new S3Client({});

/** Stores each event of a batch as an object. An event that fails is tried again, and then lies in the queue of failed ones. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const stored = await Promise.allSettled(Records.map(({ body }) => store(JSON.parse(body))));
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = stored[index];
    if (result?.status !== "rejected") return [];
    const { reason } = result as { reason: unknown };
    // The name alone: a message of a failed check may quote an answer.
    console.error(`message ${messageId} is not stored: ${reason instanceof Error ? reason.name : "unknown error"}`);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
}

async function store(event: EventBridgeEvent<string, { meta?: { test?: boolean } }>): Promise<void> {
  // A test event tells of nothing real.
  if (event.detail.meta?.test === true) return;
  const row = await rowOf(event);
  if (row === undefined) return;
  await s3.send(
    new PutObjectCommand({
      Bucket: process.env.BUCKET,
      Key: `events/${keyOf(row)}`,
      Body: `${JSON.stringify(row)}\n`,
      ContentType: "application/x-ndjson",
    }),
  );
}

async function rowOf({ "detail-type": type, detail }: EventBridgeEvent<string, unknown>): Promise<Row | undefined> {
  switch (type) {
    case "response.completed":
    case "response.updated": {
      const event = type === "response.completed" ? responseCompleted.parse(detail) : responseUpdated.parse(detail);
      return rowOfContents(type, event, await answersOf(event));
    }
    case "response.deleted":
      return rowOfDeletion(type, responseDeleted.parse(detail));
    default:
      return undefined;
  }
}

/** Those of the event, or those that were too large for it and lie in the poller's bucket. */
async function answersOf({ data: { answers, answersRef } }: ResponseCompleted | ResponseUpdated): Promise<Answer[]> {
  if (answersRef === null) return answers;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: answersRef.bucket, Key: answersRef.key }));
  return JSON.parse((await Body?.transformToString()) ?? "[]") as Answer[];
}
