import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { InterruptedError } from "../../../errors.ts";
import { UsageError } from "../../../flags.ts";
import { eventIdsIn } from "../../../ids/event-ids.ts";
import { askingAws } from "../../../target/aws-failure.ts";
import type { Target } from "../../../target/target.ts";
import type { ListReader } from "./list.ts";

/** Seconds for which what was read is hidden from others, should this command be killed; at its end it is made visible again. */
const HIDDEN_FOR = 300;
/** Seconds that an answer waits for a message: then all of the queue is looked at. */
const WAIT = 1;
/** Messages read at most: SQS hides 120,000 of a queue at once. */
const MOST_MESSAGES = 100_000;
const AT_ONCE = 10;

/**
 * Reads the event ids in a dead-letter queue, and leaves each message where it is. It counts as received once more, so a queue that drops or moves messages
 * by that count is refused.
 *
 * @returns how many messages were read, and whether that was all of them
 */
export async function readDeadLetters(
  target: Target,
  url: string,
  { ids, signal, tell }: ListReader,
): Promise<{ messages: number; isAll: boolean }> {
  const client = new SQSClient(target.client("sqs"));
  const handles = new Map<string, string>();
  try {
    return await askingAws("the dead-letter queue could not be read", async () => {
      await refuseLive(client, url);
      while (handles.size < MOST_MESSAGES) {
        if (signal.aborted) throw new InterruptedError();
        const before = handles.size;
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: AT_ONCE,
            VisibilityTimeout: HIDDEN_FOR,
            WaitTimeSeconds: WAIT,
          }),
        );
        for (const { MessageId = "", ReceiptHandle = "", Body = "" } of Messages) {
          handles.set(MessageId, ReceiptHandle);
          for (const id of eventIdsIn(Body) ?? []) ids.add(id);
        }
        tell(`${handles.size} messages read`);
        // Nothing is left, or what was read first is visible again.
        if (handles.size === before) return { messages: handles.size, isAll: true };
      }
      return { messages: handles.size, isAll: false };
    });
  } finally {
    await showAgain(client, url, [...handles.values()]);
    client.destroy();
  }
}

async function refuseLive(client: SQSClient, QueueUrl: string): Promise<void> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] }),
  );
  if (Attributes?.RedrivePolicy === undefined) return;
  throw new UsageError("the queue of --dlq has a dead-letter queue of its own", {
    hint: "To read it counts as an attempt, after some of which SQS moves a message on. Give the dead-letter queue itself.",
  });
}

/** Makes received letters visible again. Where that fails they become visible after a while. */
async function showAgain(client: SQSClient, QueueUrl: string, handles: readonly string[]): Promise<void> {
  for (let i = 0; i < handles.length; i += AT_ONCE) {
    const Entries = handles
      .slice(i, i + AT_ONCE)
      .map((ReceiptHandle, k) => ({ Id: `${k}`, ReceiptHandle, VisibilityTimeout: 0 }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })).catch(() => undefined);
  }
}
