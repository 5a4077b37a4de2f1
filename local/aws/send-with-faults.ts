import { setTimeout as delay } from "node:timers/promises";
import type { SendToQueue } from "./event-bridge/deliveries.ts";
import type { FaultBoard } from "./faults.ts";
import type { QueuesAndBuckets, SendFailure } from "./queues-and-buckets.ts";

/** Sends the bus's deliveries straight to the queues, but under the faults that SQS has for everyone else. */
export function sendWithFaults(queues: QueuesAndBuckets, faults: FaultBoard): SendToQueue {
  return async ({ queueArn, body, messageGroupId }) => {
    const due = faults.armed() ? faults.take("sqs", "SendMessage", "/") : undefined;
    if (due !== undefined && due.delayMs > 0) await delay(due.delayMs);
    if (due?.kind === undefined || due.kind === "partial") return queues.send(queueArn, body, messageGroupId);
    if (due.kind === "lose-answer") await queues.send(queueArn, body, messageGroupId);
    return { code: due.kind, message: "A fault set by the user", retryable: true } satisfies SendFailure;
  };
}
