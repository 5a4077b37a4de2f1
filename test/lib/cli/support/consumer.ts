import { PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { type Clients, createClients } from "../../../../lib/aws/clients.ts";
import { parseConfig } from "../../../../lib/config/index.ts";
import { type EmbeddedAws, startEmbeddedAws } from "../../../../lib/local/aws/index.ts";
import { readLastRun } from "../../../../lib/local/runner/last-run.ts";
import { createDynamoState } from "../../../../lib/state/dynamo-state.ts";
import type { DeliveredEvent } from "../../../support/command.ts";

/** A simulator without questions that hold pictures, which the embedded SQS does not take. */
export const QUEUE_TAKES_ALL = { seed: 5, settings: { recordsPerResponse: [2, 3] } } as const;

/** The AWS of a data folder, while no command is at work on it. */
export interface FolderAws {
  aws: EmbeddedAws;
  clients: Clients;
  sqs: SQSClient;
  state: ReturnType<typeof createDynamoState>;
}

/** Does something in the AWS of a data folder. */
export async function inAws<T>(data: string, work: (folder: FolderAws) => Promise<T>): Promise<T> {
  const aws = await startEmbeddedAws({ dataDir: data });
  const settings = (endpoint: string) => ({ endpoint, region: "us-east-1", credentials: aws.credentials });
  const clients = createClients(() => settings(aws.endpoint));
  const sqs = new SQSClient(settings(aws.endpoint));
  const name = readLastRun(data)?.variables.TABLE_NAME ?? "";
  const state = createDynamoState({ client: clients.dynamodb, name }, "main");
  try {
    return await work({ aws, clients, sqs, state });
  } finally {
    for (const client of [clients.dynamodb, clients.events, clients.secrets, sqs]) client.destroy();
    await aws.close();
  }
}

/** Subscribes a queue of this name to all events of the bus. */
export async function subscribe(data: string, queue: string): Promise<void> {
  const { bus } = parseConfig({ baseUrl: "https://surveys.example.com" }, { deployed: false });
  await inAws(data, async ({ sqs, clients: { events } }) => {
    await sqs.send(new CreateQueueCommand({ QueueName: queue }));
    const rule = { Name: queue, EventBusName: bus.name };
    await events.send(
      new PutRuleCommand({ ...rule, EventPattern: JSON.stringify({ "detail-type": [{ prefix: "" }] }) }),
    );
    const Arn = `arn:aws:sqs:us-east-1:000000000000:${queue}`;
    await events.send(new PutTargetsCommand({ Rule: queue, EventBusName: bus.name, Targets: [{ Id: queue, Arn }] }));
  });
}

/** Takes the events that have come to a queue: so many at least, which may take a moment. */
export async function delivered(data: string, queue: string, least = 0): Promise<DeliveredEvent[]> {
  return inAws(data, async ({ sqs, aws }) => {
    const QueueUrl = queueUrl(aws, queue);
    const events: DeliveredEvent[] = [];
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      if (Messages.length === 0 && events.length >= least) return events;
      for (const { Body = "", ReceiptHandle } of Messages) {
        events.push(JSON.parse(Body) as DeliveredEvent);
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  });
}

/** A queue of this name with these messages; gives its name, of which a command makes its URL. */
export async function queueWith(data: string, queue: string, messages: readonly object[]): Promise<void> {
  await inAws(data, async ({ sqs, aws }) => {
    await sqs.send(new CreateQueueCommand({ QueueName: queue }));
    for (const message of messages) {
      const MessageBody = asciiOf(JSON.stringify(message));
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(aws, queue), MessageBody }));
    }
  });
}

/** The bodies of a queue's messages that anybody may receive now; they stay. */
export async function visible(data: string, queue: string): Promise<string[]> {
  return inAws(data, async ({ sqs, aws }) => {
    const answer = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl(aws, queue),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        WaitTimeSeconds: 1,
      }),
    );
    return (answer.Messages ?? []).map(({ Body = "" }) => Body);
  });
}

function queueUrl({ endpoint }: EmbeddedAws, queue: string): string {
  return `${endpoint}/000000000000/${queue}`;
}

/** The same JSON. SQS does not take every character. */
function asciiOf(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
