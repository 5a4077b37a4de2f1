import { isObject } from "../../../lib/events/build/fields.ts";
import { parseJson } from "../../../lib/secrets/secret-values.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import type { SurveyOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import type { Person } from "./find-person.ts";

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
  const outputs = Object.entries(target.stack?.outputs ?? {});
  const queues = outputs.flatMap(([name, arn]) => (name.startsWith("ForwardDeadLetterQueueArn") ? [arn] : []));
  if (queues.length === 0) return [];
  const { GetQueueUrlCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const { readQueue } = await import("../../target/read-queue.ts");
  using client = closing(new SQSClient(target.client("sqs")));
  const found: DeadLetters[] = [];
  for (const queue of queues) {
    const events: unknown[] = [];
    const take = (body: string): boolean => {
      const event = parseJson(body);
      const isMeant = isOf(event, wanted);
      if (isMeant) events.push(event);
      return isMeant && isDone;
    };
    const { isAll: isWhole } = await askingAws("a dead-letter queue could not be read", async () => {
      const [, , , , account, name] = queue.split(":");
      const url = new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
      return readQueue(client, (await client.send(url)).QueueUrl ?? "", { most: MOST, take });
    });
    if (events.length > 0 || !isWhole) found.push({ queue, events, isWhole });
  }
  return found;
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
