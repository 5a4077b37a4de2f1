import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Delivered } from "../recorded.ts";

/** A subscribed queue: everything that has come so far, and the bytes of each message. */
export interface Inbox {
  readonly events: readonly { event: Delivered; bytes: number }[];
  /** Receives what there is. Several may ask at once. */
  drain(): Promise<void>;
}

export function openInbox(sqs: SQSClient, queueUrl: string): Inbox {
  const events: { event: Delivered; bytes: number }[] = [];
  // SQS may deliver a message twice: the delivery's id tells that from an event that was emitted twice.
  const known = new Set<string>();
  let draining: Promise<void> | undefined;

  async function receiveAll(): Promise<void> {
    for (;;) {
      const asked = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
      const { Messages = [] } = await sqs.send(asked);
      if (Messages.length === 0) return;
      for (const { Body = "" } of Messages) {
        const event = JSON.parse(Body) as Delivered;
        const key = `${event.id} ${event["replay-name"] ?? ""}`;
        if (!known.has(key)) events.push({ event, bytes: Buffer.byteLength(Body) });
        known.add(key);
      }
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  }

  return {
    events,
    async drain() {
      draining ??= receiveAll().finally(() => {
        draining = undefined;
      });
      await draining;
    },
  };
}
