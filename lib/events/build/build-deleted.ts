import { SCHEMA_VERSION } from "../contract.ts";
import { eventIdOf } from "../event-id.ts";
import type { SurveyFacts } from "../response-completed.ts";
import type { ResponseDeleted } from "../response-deleted.ts";

export interface DeletedFacts {
  sourceName: string;
  surveyId: number;
  responseId: number;
  survey: SurveyFacts | undefined;
  /** Of the last event with its contents. */
  revision: number;
  lastEventId: string;
  /** Epoch milliseconds. */
  observedAt: number;
  detectedAt: number;
}

/** The event of a response that is listed no more: one for each revision that it had when it went. */
export function buildDeleted(facts: DeletedFacts): ResponseDeleted {
  const { sourceName, surveyId, responseId, revision, survey = null, lastEventId } = facts;
  return {
    meta: {
      eventId: eventIdOf({ type: "response.deleted", sourceName, surveyId, responseId, which: revision }),
      schemaVersion: SCHEMA_VERSION,
      sourceName,
      detectedAt: new Date(facts.detectedAt).toISOString(),
    },
    data: { surveyId, responseId, survey, lastEventId, observedAt: new Date(facts.observedAt).toISOString() },
  };
}
