import { SCHEMA_VERSION } from "../contract.ts";
import { eventIdOf } from "../event-id.ts";
import type { SurveyFacts } from "../response-completed.ts";
import type { ResponseReleased, ResponseWithheld, WithheldState } from "../response-withheld.ts";

interface Facts {
  sourceName: string;
  surveyId: number;
  /** Of a record that does not say of which response it is, the id of its ledger item. */
  responseId: number | string;
  survey: SurveyFacts | undefined;
  state: WithheldState;
  /** Epoch milliseconds. */
  detectedAt: number;
}

/** The event of a response that is withheld: one for each state in which it is. */
export function buildWithheld(facts: Facts & { reason: string | undefined }): ResponseWithheld {
  const since = new Date(facts.detectedAt).toISOString();
  return {
    meta: metaOf("response.withheld", facts),
    data: { ...idsOf(facts), reason: facts.reason ?? null, since },
  };
}

/** The event of one that was, and has its event now. */
export function buildReleased(facts: Facts & { lastEventId: string }): ResponseReleased {
  return { meta: metaOf("response.released", facts), data: { ...idsOf(facts), lastEventId: facts.lastEventId } };
}

function metaOf(type: "response.withheld" | "response.released", facts: Facts) {
  const { sourceName, surveyId, responseId, state, detectedAt } = facts;
  return {
    eventId: eventIdOf({ type, sourceName, surveyId, responseId, which: state }),
    schemaVersion: SCHEMA_VERSION,
    sourceName,
    detectedAt: new Date(detectedAt).toISOString(),
  } as const;
}

function idsOf({ surveyId, responseId, survey, state }: Facts) {
  return { surveyId, responseId: typeof responseId === "number" ? responseId : null, survey: survey ?? null, state };
}
