import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventBridgeEvent } from "aws-lambda";
import { booksSums, type DetailOf, type EventType, eventId } from "../../../lib/events/index.ts";

const GOLDEN = join(import.meta.dirname, "../../../contract/golden");

/** The books of `closed` are closed at that time; events are made before it, unless it is said otherwise. */
const BEFORE = "2026-03-10T12:00:30.000Z";
const CLOSED = "2026-03-10T13:00:00.000Z";
export const AFTER = "2026-03-10T14:00:00.000Z";

export type Delivered<T extends EventType = "response.completed"> = EventBridgeEvent<T, DetailOf<T>>;

/** An event that has the contents of a response. */
export type Contents = Delivered | Delivered<"response.updated">;

/** A golden event of the contract, anew for each caller. */
export function golden<T extends EventType = "response.completed">(name: string): Delivered<T> {
  return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), "utf8"));
}

/** The first event of a response. */
export function completed(surveyId: number, responseId: number, detectedAt = BEFORE, name = "ordinary"): Delivered {
  const event = golden(name);
  Object.assign(event.detail.meta, { eventId: eventId("main", surveyId, responseId), detectedAt });
  Object.assign(event.detail.data, { surveyId, responseId });
  return event;
}

/** A later event of a response. */
export function updated(
  surveyId: number,
  responseId: number,
  detectedAt = BEFORE,
  revision = 2,
): Delivered<"response.updated"> {
  const event = golden<"response.updated">("updated");
  const id = eventId("main", surveyId, responseId, revision);
  Object.assign(event.detail.meta, { eventId: id, revision, detectedAt });
  Object.assign(event.detail.data, { surveyId, responseId });
  return event;
}

/** Books of a survey that count these events: the latest ones of their responses. */
export function closed(
  surveyId: number,
  counted: readonly { detail: { meta: { eventId: string } } }[],
  sequence = 2,
): Delivered<"books.closed"> {
  const event = golden<"books.closed">("books-closed");
  const sums = booksSums();
  for (const { detail } of counted) sums.add(detail.meta.eventId);
  Object.assign(event.detail.meta, { detectedAt: CLOSED, sequence });
  Object.assign(event.detail.data, { surveyId, ...sums.sums() });
  return event;
}
