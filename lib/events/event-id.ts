import { v5 } from "uuid";
import { DETAIL_TYPE, type EventType } from "./contract.ts";

/** Namespace of all event ids: the version 5 UUID of this name in the URL namespace. As bytes, that it is not read anew for each id. */
const NAMESPACE = v5("https://survey-poller/events", v5.URL, new Uint8Array(16));

/** The subject of an event, and which one of those of its type it is. */
export interface EventName {
  type: EventType;
  sourceName: string;
  surveyId: number;
  /** Absent for what concerns a whole survey. */
  responseId?: number | string;
  /** A revision, a sequence number or a digest. */
  which: number | string;
}

/** The id of an event: the same for every delivery, from every process, for ever. */
export function eventIdOf({ type, sourceName, surveyId, responseId = "-", which }: EventName): string {
  return v5(new TextEncoder().encode(`${type}/${sourceName}/${surveyId}/${responseId}/${which}`), NAMESPACE);
}

/** The id of the event with a response's contents: the first is `response.completed`, and each later revision `response.updated`. */
export function eventId(sourceName: string, surveyId: number, responseId: number, revision = 1): string {
  const type = revision === 1 ? DETAIL_TYPE : "response.updated";
  return eventIdOf({ type, sourceName, surveyId, responseId, which: revision });
}
