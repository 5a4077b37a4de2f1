import type { SurveyFacts } from "../response-completed.ts";
import type { SurveyChanged } from "../survey-changed.ts";
import { eventMeta } from "./event-meta.ts";

export interface SurveyChangedFacts {
  sourceName: string;
  surveyId: number;
  /** 1 for the first event of this type of a survey. */
  sequence: number;
  /** Null where the survey is not listed. */
  before: SurveyFacts | null;
  after: SurveyFacts | null;
  /** Epoch milliseconds. */
  detectedAt: number;
}

/** The event of a survey that the survey list shows otherwise than before. */
export function buildSurveyChanged(facts: SurveyChangedFacts): SurveyChanged {
  const { surveyId, sequence, before, after } = facts;
  return {
    meta: { ...eventMeta("survey.changed", facts, sequence), sequence },
    data: { surveyId, before, after },
  };
}
