import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Clients } from "../../../../lib/aws/clients.ts";
import { closing } from "../../../../lib/cli/target/aws-failure.ts";
import { openTarget } from "../../../../lib/cli/target/open-target.ts";
import type { Target } from "../../../../lib/cli/target/target.ts";
import { createDynamoState } from "../../../../lib/state/dynamo-state.ts";
import { type Folder, ioOf } from "./command.ts";

/** What a data folder holds, while no command is at work on it. */
export interface FolderAws {
  target: Target;
  clients: Clients;
  sqs: SQSClient;
  state: ReturnType<typeof createDynamoState>;
}

/** Does something in the AWS of a data folder. */
export async function inAws<T>(data: string, work: (folder: FolderAws) => Promise<T>): Promise<T> {
  await using target = await openTarget({ data }, ioOf().io);
  using sqs = closing(new SQSClient(target.client("sqs")));
  return await work({ target, clients: target.clients, sqs, state: createDynamoState(target.table, "main") });
}

/** Takes the lease of a survey for a minute, as somebody who works on it; gives what ends that. */
export async function holdLease({ data }: Folder, surveyId: number): Promise<() => Promise<void>> {
  const lease = await inAws(data, ({ state }) => state.acquire(surveyId, "somebody", 60_000));
  if (lease === undefined) throw new Error("somebody else has the lease");
  return () => inAws(data, ({ state }) => state.release(lease, lease.state));
}

/** A queue of this name with these messages, of which a command makes its URL. */
export async function queueWith(data: string, queue: string, messages: readonly object[]): Promise<void> {
  await inAws(data, async ({ sqs, target }) => {
    await sqs.send(new CreateQueueCommand({ QueueName: queue }));
    for (const message of messages) {
      const MessageBody = JSON.stringify(message);
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(target, queue), MessageBody }));
    }
  });
}

/** The bodies of a queue's messages that anybody may receive now; they stay. */
export async function visible(data: string, queue: string): Promise<string[]> {
  return inAws(data, async ({ sqs, target }) => {
    const answer = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl(target, queue),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        WaitTimeSeconds: 1,
      }),
    );
    return (answer.Messages ?? []).map(({ Body = "" }) => Body);
  });
}

function queueUrl(target: Target, queue: string): string {
  return `${target.client("sqs").endpoint}/000000000000/${queue}`;
}
