import type { SurveyFacts } from "../response-completed.ts";
import type { ResponseReleased, ResponseWithheld, WithheldState } from "../response-withheld.ts";
import { eventMeta } from "./event-meta.ts";

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
    meta: eventMeta("response.withheld", facts, facts.state),
    data: { ...idsOf(facts), reason: facts.reason ?? null, since },
  };
}

/** The event of one that was, and has its event now. */
export function buildReleased(facts: Facts & { lastEventId: string }): ResponseReleased {
  return {
    meta: eventMeta("response.released", facts, facts.state),
    data: { ...idsOf(facts), lastEventId: facts.lastEventId },
  };
}

function idsOf({ surveyId, responseId, survey, state }: Facts) {
  return { surveyId, responseId: typeof responseId === "number" ? responseId : null, survey: survey ?? null, state };
}
