import type { SurveyFacts } from "../response-completed.ts";
import type { SurveyCounted } from "../survey-counted.ts";
import { eventMeta } from "./event-meta.ts";
import { readId } from "./fields.ts";

/** The counts by which a response rate is worked out; null where one cannot be read. */
export type SurveyCounts = Pick<SurveyCounted["data"], "impressions" | "opened" | "responses">;

/** The counts in the row of a survey in the survey list (2.1). */
export function surveyCounts({ impressions, opened, responses }: Record<string, unknown>): SurveyCounts {
  return {
    impressions: readId(impressions) ?? null,
    opened: readId(opened) ?? null,
    responses: readId(responses) ?? null,
  };
}

export interface SurveyCountedFacts {
  sourceName: string;
  surveyId: number;
  survey: SurveyFacts | undefined;
  /** 1 for the first event of this type of a survey. */
  sequence: number;
  counts: SurveyCounts;
  /** When the survey list was read, and when the event was made (epoch milliseconds). */
  asOf: number;
  detectedAt: number;
}

/** The event of a survey whose counts have changed. */
export function buildSurveyCounted(facts: SurveyCountedFacts): SurveyCounted {
  const { surveyId, survey = null, sequence, counts, asOf } = facts;
  return {
    meta: { ...eventMeta("survey.counted", facts, sequence), sequence },
    data: { surveyId, survey, asOf: new Date(asOf).toISOString(), ...counts },
  };
}
