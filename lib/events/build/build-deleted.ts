import type { SurveyFacts } from "../response-completed.ts";
import type { ResponseDeleted } from "../response-deleted.ts";
import { eventMeta } from "./event-meta.ts";

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
  const { surveyId, responseId, revision, survey = null, lastEventId } = facts;
  return {
    meta: eventMeta("response.deleted", facts, revision),
    data: { surveyId, responseId, survey, lastEventId, observedAt: new Date(facts.observedAt).toISOString() },
  };
}
