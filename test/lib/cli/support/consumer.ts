import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Clients, createClients } from "../../../../lib/aws/clients.ts";
import { type EmbeddedAws, startEmbeddedAws } from "../../../../lib/local/aws/index.ts";
import { readLastRun } from "../../../../lib/local/runner/last-run.ts";
import { createDynamoState } from "../../../../lib/state/dynamo-state.ts";

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

/** A queue of this name with these messages, of which a command makes its URL. */
export async function queueWith(data: string, queue: string, messages: readonly object[]): Promise<void> {
  await inAws(data, async ({ sqs, aws }) => {
    await sqs.send(new CreateQueueCommand({ QueueName: queue }));
    for (const message of messages) {
      const MessageBody = JSON.stringify(message);
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
