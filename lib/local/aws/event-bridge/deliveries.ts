import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { QueuesAndBuckets, SendFailure } from "../queues-and-buckets.ts";

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
  /** Keeps what is pending, and in `refused.jsonl` messages that SQS can never take. */
  folder: string;
  queues: Pick<QueuesAndBuckets, "send">;
  /** Whether a rule has the queue as a target. */
  isTarget(queueArn: string): boolean;
}

/**
 * Sends deliveries until their queue has taken them. The queue may be yet to be created: the order in which a local system starts cannot
 * lose an event. A queue that is gone together with its rule is waited for no longer.
 */
export function startDeliveries({ folder, queues, isTarget }: DeliveriesOptions): Deliveries {
  const journal = openJournal(join(folder, "deliveries.db"));
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
        appendFileSync(join(folder, "refused.jsonl"), `${JSON.stringify({ ...failure, delivery })}\n`, { mode: 0o600 });
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

/** One event on its way to one target. */
export interface Delivery {
  id: string;
  queueArn: string;
  body: string;
}

interface Journal {
  /** Deliveries that an earlier process accepted and did not finish, oldest first. */
  pending(): Delivery[];
  /** On return, the deliveries survive the end of the process. */
  add(deliveries: readonly Delivery[]): void;
  done(id: string): void;
  close(): void;
}

/** Deliveries in a SQLite file. It outlives a kill -9, since the system has the data then, and not a power cut. */
export function openJournal(path: string): Journal {
  const file = new DatabaseSync(path);
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS deliveries (place INTEGER PRIMARY KEY, id TEXT UNIQUE, queueArn TEXT, body TEXT)`);
  const pending = file.prepare("SELECT id, queueArn, body FROM deliveries ORDER BY place");
  const add = file.prepare("INSERT INTO deliveries (id, queueArn, body) VALUES (?, ?, ?)");
  const done = file.prepare("DELETE FROM deliveries WHERE id = ?");
  return {
    pending: () => pending.all() as unknown as Delivery[],
    add(deliveries) {
      for (const { id, queueArn, body } of deliveries) add.run(id, queueArn, body);
    },
    done: (id) => void done.run(id),
    close: () => file.close(),
  };
}
