import type { ResponseCompleted } from "../lib/events/index.ts";

/** An event as EventBridge delivers it; those of a replay carry its name. */
export interface Delivered {
  id: string;
  "detail-type": string;
  time: string;
  "replay-name"?: string;
  detail: ResponseCompleted;
}

/** What a subscriber writes down of an event: sizes and digests, no contents. */
export interface Recorded {
  /** Which subscriber. */
  pk: string;
  /** The event's id and that of the delivery: a repeat has another one. */
  sk: string;
  eventId: string;
  deliveryId: string;
  responseId: number;
  /** Of the whole envelope, as it came. */
  bytes: number;
  /** How many answers, and the bytes of their comments, wherever they lay. */
  answers: number;
  commentBytes: number;
  /** Whether they lay in the bucket. */
  isClaimed: boolean;
  replay?: string;
  /** SHA-256 of the Authorization header, in hex. */
  authorization?: string;
}

/** @param fetched the answers out of the bucket, where the event only points to them */
export function summarize(event: Delivered, lane: string, bytes: number, fetched: unknown[] | undefined): Recorded {
  const { meta, data } = event.detail;
  const answers = fetched ?? data.answers;
  const comments = answers.map((answer) => (answer as { comment?: unknown }).comment);
  return {
    pk: lane,
    sk: `${meta.eventId}#${event.id}`,
    eventId: meta.eventId,
    deliveryId: event.id,
    responseId: data.responseId,
    bytes,
    answers: answers.length,
    commentBytes: comments.reduce<number>(
      (sum, comment) => sum + (typeof comment === "string" ? Buffer.byteLength(comment) : 0),
      0,
    ),
    isClaimed: data.answersRef !== null,
    ...(event["replay-name"] === undefined ? {} : { replay: event["replay-name"] }),
  };
}
