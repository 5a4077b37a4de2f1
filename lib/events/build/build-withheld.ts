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
  /** Since when it is withheld, and when the event is made (epoch milliseconds). */
  since: number;
  detectedAt: number;
}

/** The event of a response that is withheld: one for each time. */
export function buildWithheld(facts: Facts & { reason: string | undefined }): ResponseWithheld {
  return {
    meta: eventMeta("response.withheld", facts, whichOf(facts)),
    data: { ...idsOf(facts), reason: facts.reason ?? null, since: new Date(facts.since).toISOString() },
  };
}

/** The event of one that was, and is no more. */
export function buildReleased(facts: Facts & { lastEventId: string | null }): ResponseReleased {
  return {
    meta: eventMeta("response.released", facts, whichOf(facts)),
    data: { ...idsOf(facts), lastEventId: facts.lastEventId },
  };
}

/** A record of nobody knows which response is named by its own digest. */
const whichOf = ({ responseId, state, since }: Facts): string =>
  typeof responseId === "number" ? `${state}/${since}` : state;

function idsOf({ surveyId, responseId, survey, state }: Facts) {
  return { surveyId, responseId: typeof responseId === "number" ? responseId : null, survey: survey ?? null, state };
}
