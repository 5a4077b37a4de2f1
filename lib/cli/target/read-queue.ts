import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { InterruptedError } from "../errors.ts";
import type { Io } from "../io.ts";

/** Seconds for which what was read is hidden from others, should this command be killed; at its end it is made visible again. */
const HIDDEN_FOR = 300;
const AT_ONCE = 10;

interface Reading extends Partial<Pick<Io, "signal">> {
  /** More messages than these are not read. */
  most: number;
  /** Gets each message once, and gives whether it goes. */
  take(body: string): boolean;
  /** Called as it goes on. */
  tell?(text: string): void;
}

/**
 * Reads the messages of a queue, and leaves each where it is unless it is to go. It counts as received once more.
 *
 * @returns how many messages were read, and whether that was all of them
 */
export async function readQueue(client: SQSClient, QueueUrl: string, { most, take, tell, signal }: Reading) {
  const seen = new Set<string>();
  const stay: string[] = [];
  // It waits for a message: then all of the queue is looked at.
  const some = { QueueUrl, MaxNumberOfMessages: AT_ONCE, VisibilityTimeout: HIDDEN_FOR, WaitTimeSeconds: 1 };
  try {
    while (seen.size < most) {
      if (signal?.aborted === true) throw new InterruptedError();
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(some));
      const news = Messages.filter(({ MessageId = "" }) => !seen.has(MessageId));
      const gone: string[] = [];
      for (const { MessageId = "", ReceiptHandle = "", Body = "" } of news) {
        seen.add(MessageId);
        (take(Body) ? gone : stay).push(ReceiptHandle);
      }
      const Entries = gone.map((ReceiptHandle, i) => ({ Id: `${i}`, ReceiptHandle }));
      if (gone.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      tell?.(`${seen.size} messages read`);
      // Nothing is left, or what was read first is visible again.
      if (news.length === 0) return { messages: seen.size, isAll: true };
    }
    return { messages: seen.size, isAll: false };
  } finally {
    // Where that fails they become visible after a while.
    while (stay.length > 0) {
      const handles = stay.splice(0, AT_ONCE);
      const Entries = handles.map((ReceiptHandle, i) => ({ Id: `${i}`, ReceiptHandle, VisibilityTimeout: 0 }));
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })).catch(() => undefined);
    }
  }
}
