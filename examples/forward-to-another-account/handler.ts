import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { type Answer, type ResponseCompleted, responseCompleted } from "survey-poller/events";

const s3 = new S3Client({});

/** Reads each response of a batch. An event that fails is tried again, and then lies in the queue of failed ones. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const read = await Promise.allSettled(Records.map(({ body }) => readResponse(JSON.parse(body))));
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = read[index];
    if (result?.status !== "rejected") return [];
    const { reason } = result as { reason: unknown };
    // The name alone: a message of a failed check may quote an answer.
    console.error(`message ${messageId} is not read: ${reason instanceof Error ? reason.name : "unknown error"}`);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
}

async function readResponse({ detail }: EventBridgeEvent<string, unknown>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const answers = await answersOf(event);
  const { surveyId, responseId } = event.data;
  // Your own work begins here. Ids and counts are no personal data; answers are, so they stay out of the log.
  console.log(`survey ${surveyId}, response ${responseId}: ${answers.length} answers`);
}

/** Those of the event, or those that were too large for it and lie in the bucket of the poller's account. */
async function answersOf({ data: { answers, answersRef } }: ResponseCompleted): Promise<Answer[]> {
  if (answersRef === null) return answers;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: answersRef.bucket, Key: answersRef.key }));
  return JSON.parse((await Body?.transformToString()) ?? "[]") as Answer[];
}
