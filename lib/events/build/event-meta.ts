import { type EventType, SCHEMA_VERSION } from "../contract.ts";
import { eventIdOf } from "../event-id.ts";

interface Facts {
  sourceName: string;
  surveyId: number;
  /** Of a record that does not say of which response it is, the id of its ledger item. */
  responseId?: number | string;
  /** Epoch milliseconds. */
  detectedAt: number;
}

/** The `meta` of every event that has no contents. `which` tells it from other events of this type, of the same survey or response. */
export function eventMeta(type: EventType, facts: Facts, which: number | string) {
  const { sourceName, surveyId, responseId, detectedAt } = facts;
  const of = responseId === undefined ? {} : { responseId };
  return {
    eventId: eventIdOf({ type, sourceName, surveyId, ...of, which }),
    schemaVersion: SCHEMA_VERSION,
    sourceName,
    detectedAt: new Date(detectedAt).toISOString(),
  } as const;
}
