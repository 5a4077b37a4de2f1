import { isObject } from "../../../json.ts";
import type { PersonKey } from "../../../polling/index.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import type { SurveyOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";

/** Messages of one queue. More are not read: they would come into sight again meanwhile. */
const MOST = 5_000;

/** An event that a webhook has not taken, the response that it is of, and the keys of its person. */
export interface Letter extends SurveyOf, Record<PersonKey, unknown> {
  id: number;
  event: unknown;
}

/** Letters of one queue. */
export interface DeadLetters {
  /** Arn of the queue. */
  queue: string;
  letters: Letter[];
  /** False where it holds more messages than were read. */
  isWhole: boolean;
}

/** Reads the dead-letter queues of all webhooks, and gives those that hold letters that are meant. With `isDone` these are deleted there. */
export async function deadLettersOf(
  target: Target,
  isMeant: (letter: Letter) => boolean,
  isDone: boolean,
): Promise<DeadLetters[]> {
  const outputs = Object.entries(target.stack?.outputs ?? {});
  const queues = outputs.flatMap(([name, arn]) => (name.startsWith("ForwardDeadLetterQueueArn") ? [arn] : []));
  if (queues.length === 0) return [];
  const { GetQueueUrlCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const { readQueue } = await import("../../target/read-queue.ts");
  using client = closing(new SQSClient(target.client("sqs")));
  const found: DeadLetters[] = [];
  for (const queue of queues) {
    const letters: Letter[] = [];
    const take = (body: string): boolean => {
      const letter = letterIn(parseJson(body));
      if (letter === undefined || !isMeant(letter)) return false;
      letters.push(letter);
      return isDone;
    };
    const { isAll: isWhole } = await askingAws("a dead-letter queue could not be read", async () => {
      const [, , , , account, name] = queue.split(":");
      const url = new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
      return readQueue(client, (await client.send(url)).QueueUrl ?? "", { most: MOST, take });
    });
    if (letters.length > 0 || !isWhole) found.push({ queue, letters, isWhole });
  }
  return found;
}

/** An event as the bus delivers it; undefined where it is of no response. */
function letterIn(event: unknown): Letter | undefined {
  const detail = isObject(event) ? event.detail : undefined;
  if (!isObject(detail) || !isObject(detail.meta) || !isObject(detail.data)) return undefined;
  const { sourceName: source } = detail.meta;
  const { surveyId, responseId: id, response, metadata } = detail.data;
  if (typeof source !== "string" || typeof surveyId !== "number" || typeof id !== "number") return undefined;
  const crk = isObject(response) ? response.crk : undefined;
  const referrer = isObject(metadata) ? metadata.referrer : undefined;
  return { source, surveyId, id, crk, referrer, event };
}
