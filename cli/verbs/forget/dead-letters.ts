import type { Message } from "@aws-sdk/client-sqs";
import { isObject } from "../../../lib/json.ts";
import { parseJson } from "../../../lib/secrets/secret-values.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import type { SurveyOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import type { Person } from "./find-person.ts";

/** Seconds for which messages are out of sight of others while a queue is read. */
const OUT_OF_SIGHT = 120;
/** Messages of one queue. More are not read: they would come into sight again meanwhile. */
const MOST = 5_000;

/** The events of somebody that a webhook has not taken. */
export interface DeadLetters {
  /** Arn of the queue. */
  queue: string;
  events: unknown[];
  /** False where it holds more messages than were read. */
  isWhole: boolean;
}

type Wanted = { responses: readonly (SurveyOf & { id: unknown })[]; person?: Person | undefined };

/** Reads the dead-letter queues of all webhooks, and gives those that hold something of `wanted`. With `isDone` it is deleted there. */
export async function deadLettersOf(target: Target, wanted: Wanted, isDone: boolean): Promise<DeadLetters[]> {
  const queues = Object.entries(target.stack?.outputs ?? {}).filter(([name]) =>
    name.startsWith("ForwardDeadLetterQueueArn"),
  );
  if (queues.length === 0) return [];
  const { SQSClient } = await import("@aws-sdk/client-sqs");
  using client = closing(new SQSClient(target.client("sqs")));
  const found: DeadLetters[] = [];
  for (const [, queue] of queues) {
    const read = await askingAws("a dead-letter queue could not be read", () => search(client, queue, wanted, isDone));
    if (read.events.length > 0 || !read.isWhole) found.push({ queue, ...read });
  }
  return found;
}

async function search(
  client: import("@aws-sdk/client-sqs").SQSClient,
  queue: string,
  wanted: Wanted,
  isDone: boolean,
): Promise<Omit<DeadLetters, "queue">> {
  const sqs = await import("@aws-sdk/client-sqs");
  const [, , , , account, name] = queue.split(":");
  const { QueueUrl } = await client.send(
    new sqs.GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }),
  );
  const events: unknown[] = [];
  const others: Message[] = [];
  let isWhole = false;
  try {
    while (events.length + others.length < MOST && !isWhole) {
      const { Messages = [] } = await client.send(
        // To wait asks all servers of the queue: an answer without a message is its end.
        new sqs.ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: OUT_OF_SIGHT,
          WaitTimeSeconds: 1,
        }),
      );
      isWhole = Messages.length === 0;
      for (const message of Messages) {
        const event = parseJson(message.Body ?? "");
        const isMeant = isOf(event, wanted);
        if (isMeant) events.push(event);
        if (!isMeant || !isDone) others.push(message);
        else await client.send(new sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      }
    }
  } finally {
    for (const { ReceiptHandle } of others) {
      const visible = new sqs.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
      // Else it comes into sight by itself.
      await client.send(visible).catch(() => undefined);
    }
  }
  return { events, isWhole };
}

/** Whether an event as the bus delivers it is of one of these responses, or has the key of the person. */
function isOf(event: unknown, { responses, person }: Wanted): boolean {
  const detail = isObject(event) ? event.detail : undefined;
  if (!isObject(detail) || !isObject(detail.meta) || !isObject(detail.data)) return false;
  const { meta, data } = detail;
  const isFound = responses.some(
    ({ source, surveyId, id }) => meta.sourceName === source && data.surveyId === surveyId && data.responseId === id,
  );
  if (isFound || person === undefined) return isFound;
  const holder = person.kind === "crk" ? data.response : data.metadata;
  return isObject(holder) && holder[person.kind] === person.value;
}
