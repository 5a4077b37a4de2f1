import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import type { EventBridgeEvent } from "aws-lambda";
import { type Answer, type ResponseCompleted, responseCompleted } from "survey-poller/events";

/** Characters. An execution takes 256 KB of input, and one character has at most three bytes of UTF-8, or six as an escape in JSON. */
const LONGEST = 20_000;

/** What a follow-up begins with: never the whole event, which may be larger than a state machine takes. */
export interface FollowUp {
  eventId: string;
  survey: string;
  surveyId: number;
  responseId: number;
  customer: string;
  class: string;
  score: number;
  comments: number;
  /** The comments themselves; empty where the stack does not ask for them. */
  text: string;
  test: boolean;
}

const machines = new SFNClient({});
const s3 = new S3Client({});

/** Starts one follow-up for each event. An error makes Lambda try again. */
export async function handler({ detail }: EventBridgeEvent<"response.completed", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const followUp = await followUpOf(event);
  const start = new StartExecutionCommand({
    stateMachineArn: process.env.STATE_MACHINE_ARN,
    // The rule alone could start the machine too, but not name the execution: each delivery of a repeat would start another one.
    name: event.meta.eventId,
    input: JSON.stringify(followUp),
  });
  await machines.send(start).catch((error: unknown) => {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  });
}

async function followUpOf(event: ResponseCompleted): Promise<FollowUp> {
  const { meta, data } = event;
  const { survey, surveyId, responseId, response, summary } = data;
  if (summary.nps === null) throw new Error(`Event ${meta.eventId} has no score. Check the pattern of the rule.`);
  return {
    eventId: meta.eventId,
    survey: survey?.name ?? `Survey ${surveyId}`,
    surveyId,
    responseId,
    customer: response.crk ?? "",
    class: summary.nps.class,
    score: summary.nps.score,
    comments: summary.comments,
    text: process.env.WITH_COMMENTS === "true" ? commentsOf(await answersOf(event)) : "",
    test: meta.test === true,
  };
}

/** Answers of a response, from the bucket where they were too large for the event. */
async function answersOf({ data }: ResponseCompleted): Promise<Answer[]> {
  if (data.answersRef === null) return data.answers;
  const { bucket, key } = data.answersRef;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const text = await Body?.transformToString();
  if (text === undefined) throw new Error(`The object ${key} is empty. The next attempt reads it again.`);
  return responseCompleted.shape.data.shape.answers.parse(JSON.parse(text));
}

/** All comments of a response, each below its question where the event has its text. */
function commentsOf(answers: readonly Answer[]): string {
  const text = answers
    .filter(({ comment }) => comment !== "")
    .map(({ question, comment }) => (question?.text ? `${question.text}\n${comment}` : comment))
    .join("\n\n");
  // A cut may halve a character such as an emoji, and half a one is no text that a table takes.
  return (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`).toWellFormed();
}
