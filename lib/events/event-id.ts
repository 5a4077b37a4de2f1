import { v5 } from "uuid";

/** Namespace of all event ids: the version 5 UUID of this name in the URL namespace. As bytes, that it is not read anew for each id. */
const NAMESPACE = v5("https://survey-poller/events", v5.URL, new Uint8Array(16));

/**
 * The id of a response's event: the same for every delivery, from every process, for ever.
 * Revisions above 1 are repairs of an event that was emitted short.
 */
export function eventId(sourceName: string, surveyId: number, responseId: number, revision = 1): string {
  return v5(`response.completed/${sourceName}/${surveyId}/${responseId}/${revision}`, NAMESPACE);
}
