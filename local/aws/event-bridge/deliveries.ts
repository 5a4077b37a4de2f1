import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { QueuesAndBuckets, SendFailure } from "../queues-and-buckets.ts";
import type { Delivery, Journal } from "./journal.ts";

export interface Deliveries {
  /** Writes the deliveries down, then sends them in the background: one after the other for each queue, in order. */
  enqueue(deliveries: readonly Delivery[]): void;
  /** Stops sending; what is pending is sent after the next start. */
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 2000;
const NO_QUEUE = /QueueDoesNotExist|NonExistentQueue/;

interface DeliveriesOptions {
  journal: Journal;
  queues: Pick<QueuesAndBuckets, "send">;
  /** Takes messages that SQS can never take. */
  refusedFile: string;
  /** Whether a rule has the queue as a target. */
  isTarget(queueArn: string): boolean;
}

/**
 * Sends deliveries until their queue has taken them. The queue may be yet to be created: the order in which a local system starts cannot
 * lose an event. A queue that is gone together with its rule is waited for no longer.
 */
export function startDeliveries({ journal, queues, refusedFile, isTarget }: DeliveriesOptions): Deliveries {
  const stop = new AbortController();
  const waiting = new Map<string, Delivery[]>();
  const workers = new Map<string, Promise<void>>();

  async function deliver(delivery: Delivery): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !stop.signal.aborted; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      const failure = await queues
        .send(delivery.queueArn, delivery.body)
        .catch((error: unknown): SendFailure => ({ code: "InternalFailure", message: String(error), retryable: true }));
      const isGone = failure !== undefined && NO_QUEUE.test(failure.code) && !isTarget(delivery.queueArn);
      if (failure?.retryable === true && !isGone) {
        await delay(wait, undefined, { signal: stop.signal }).catch(() => undefined);
        continue;
      }
      if (failure !== undefined && !isGone)
        appendFileSync(refusedFile, `${JSON.stringify({ ...failure, delivery })}\n`, { mode: 0o600 });
      journal.done(delivery.id);
      return;
    }
  }

  async function work(queueArn: string, queue: Delivery[]): Promise<void> {
    for (let next = queue.shift(); next !== undefined && !stop.signal.aborted; next = queue.shift()) {
      await deliver(next);
    }
    workers.delete(queueArn);
    waiting.delete(queueArn);
  }

  function dispatch(delivery: Delivery): void {
    const queue = waiting.get(delivery.queueArn);
    if (queue !== undefined) {
      queue.push(delivery);
      return;
    }
    const started = [delivery];
    waiting.set(delivery.queueArn, started);
    workers.set(delivery.queueArn, work(delivery.queueArn, started));
  }

  for (const delivery of journal.pending()) dispatch(delivery);
  return {
    enqueue(deliveries) {
      journal.add(deliveries);
      for (const delivery of deliveries) dispatch(delivery);
    },
    async close() {
      stop.abort();
      await Promise.all(workers.values());
      journal.close();
    },
  };
}
