import type { SQSRecord } from "aws-lambda";
import { errorCode } from "../errors.ts";
import { type Attempt, attempt, type Endpoint } from "./attempt.ts";
import { aboutEvent, readEnvelope } from "./event.ts";
import { waitAfter } from "./outcome.ts";
import { paceOf } from "./pace.ts";
import { PATIENCE } from "./post.ts";

/** Milliseconds of an invocation that are kept for telling the queue what has become of its messages. */
const RESERVE = 4_000;

/** One delivery as it went, for the log and the metrics. It holds nothing of the event but its id and type. */
export interface DeliveryReport extends Omit<Attempt, "retryAfter" | "firstLine"> {
  webhook: string;
  attempt: number;
  /** Seconds until the next attempt, where there is one. */
  nextInSeconds?: number;
  /** Milliseconds since the event was put into the queue. */
  age: number;
  /** Milliseconds since the first attempt. */
  triedFor: number;
}

/** Why an event is given up, as it stands beside the event in the dead-letter queue. */
export interface GivenUp {
  code: "ENDPOINT_REFUSED" | "ENDPOINT_FAILED";
  /** For a person, such as "the endpoint answered 503". */
  message: string;
  attempts: number;
}

export interface Forwarding {
  webhook: { name: string; ratePerSecond: number; retry: { maxAge: number; attempts: number } };
  endpoint: Endpoint;
  /** Keeps a message out of sight for so many seconds. */
  hide: (receiptHandle: string, seconds: number) => Promise<void>;
  /** Puts an event into the dead-letter queue. */
  giveUp: (body: string, why: GivenUp) => Promise<void>;
  /** Milliseconds that are left of the invocation. */
  remaining: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  random: () => number;
  /** Told of each delivery. */
  report: (delivery: DeliveryReport) => void;
  /** Told of what keeps a delivery from being tried, or the queue from being told. */
  trouble: (error: unknown) => void;
}

/**
 * Delivers the messages of an invocation beside each other, begun at the pace of the webhook.
 *
 * @returns ids of the messages that are to come again
 */
export async function forwardBatch(records: readonly SQSRecord[], forwarding: Forwarding): Promise<string[]> {
  const { sleep, webhook } = forwarding;
  const { spacing } = paceOf(webhook.ratePerSecond);
  const told = new Set<string>();
  const trouble = (error: unknown): void => {
    // All messages of a batch meet the same trouble.
    if (!told.has(errorCode(error))) forwarding.trouble(error);
    told.add(errorCode(error));
  };
  const [again] = await Promise.all([
    Promise.all(
      records.map(async (record, index) => {
        if (index > 0) await sleep(index * spacing);
        return (await isDone(record, { ...forwarding, trouble })) ? [] : [record.messageId];
      }),
    ),
    // The next invocation begins at once: without this it would make its requests too early.
    sleep(records.length * spacing),
  ]);
  return again.flat();
}

/** Whether the queue may forget a message: its event was taken, or lies in the dead-letter queue. */
async function isDone(record: SQSRecord, forwarding: Forwarding): Promise<boolean> {
  const { webhook, report, trouble, random, hide, giveUp } = forwarding;
  const tried = await tryOnce(record, forwarding);
  if (tried.outcome === "taken") {
    report(tried);
    return true;
  }
  const wait = Math.ceil(waitAfter(tried.attempt, tried.retryAfter, random()) / 1_000);
  const { maxAge, attempts } = webhook.retry;
  const isLast = tried.attempt > attempts || tried.triedFor + wait * 1_000 > maxAge;
  const isGivenUp = tried.outcome === "given-up" || isLast;
  report({ ...tried, outcome: isGivenUp ? "given-up" : "retried", ...(isGivenUp ? {} : { nextInSeconds: wait }) });
  try {
    if (isGivenUp) {
      const code = tried.outcome === "given-up" ? "ENDPOINT_REFUSED" : "ENDPOINT_FAILED";
      await giveUp(record.body, { code, message: sentence(tried), attempts: tried.attempt });
      return true;
    }
    await hide(record.receiptHandle, wait);
  } catch (error) {
    // It comes again when it is in sight again by the queue's own setting.
    trouble(error);
  }
  return false;
}

type Tried = Omit<DeliveryReport, "nextInSeconds"> & { retryAfter: number | undefined };

/** One attempt, told from what kept it from being made. */
async function tryOnce({ body, messageId, attributes }: SQSRecord, forwarding: Forwarding): Promise<Tried> {
  const { webhook, endpoint, remaining, trouble } = forwarding;
  const now = endpoint.now();
  const about = {
    webhook: webhook.name,
    attempt: Number(attributes.ApproximateReceiveCount),
    age: now - Number(attributes.SentTimestamp),
    triedFor: now - Number(attributes.ApproximateFirstReceiveTimestamp),
  };
  const patience = Math.max(1, Math.min(PATIENCE, remaining() - RESERVE));
  try {
    const { firstLine: _, ...answer } = await attempt(endpoint, { body, otherId: messageId, patience });
    return { ...about, ...answer };
  } catch (error) {
    trouble(error);
    const known = aboutEvent(readEnvelope(body), messageId);
    const failed = { status: null, milliseconds: 0, problem: errorCode(error), retryAfter: undefined };
    return { ...about, ...known, ...failed, outcome: "retried" };
  }
}

function sentence({ status, problem }: Pick<Tried, "status" | "problem">): string {
  return status === null ? `the endpoint gave no answer (${problem})` : `the endpoint answered ${status}`;
}
