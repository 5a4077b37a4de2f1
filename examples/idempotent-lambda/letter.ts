import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Context } from "aws-lambda";
import type { ResponseCompleted } from "survey-poller/events";

const DAY = 86_400;
const sqs = new SQSClient({});

const config = new IdempotencyConfig({
  // Not the envelope's id: EventBridge gives each delivery of a repeat another one.
  eventKeyJmesPath: "meta.eventId",
  throwOnNoIdempotencyKey: true,
  // As long as a replay of the archive can bring the event again, and longer.
  expiresAfterSeconds: 90 * DAY,
});

const sendOnce = makeIdempotent(send, {
  config,
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env.DONE_TABLE ?? "" }),
  // By default it is the function's name: a deployment under another name would send all letters again.
  keyPrefix: "letter",
});

/**
 * Sends the letter of a response, once for each event id.
 *
 * @throws IdempotencyAlreadyInProgressError while another delivery of the event is being worked on
 */
export async function sendLetter(completed: ResponseCompleted, context: Context): Promise<void> {
  // It says how much time is left: after that, the work of a function that was killed is free for the next one.
  config.registerLambdaContext(context);
  await sendOnce(completed);
}

/** Stands for what must not happen twice. The queue is the reader's system here. */
async function send({ meta, data }: ResponseCompleted): Promise<void> {
  const { surveyId, responseId, response, summary } = data;
  const letter = {
    eventId: meta.eventId,
    surveyId,
    responseId,
    customer: response.crk,
    kind: summary.nps?.class ?? null,
    test: meta.test === true,
  };
  await sqs.send(new SendMessageCommand({ QueueUrl: process.env.LETTERS_URL, MessageBody: JSON.stringify(letter) }));
}
