import { readId } from "../../json.ts";
import type { SurveyFacts } from "../response-completed.ts";
import type { SurveyCounted } from "../told.ts";
import { isInteger, isText } from "./fields.ts";

/** Most characters of any one text of a survey in an event. */
const MOST = 1_000;

/** The beginning of a long text; no character is cut in two. */
export function shortened(text: string): string {
  return text.length <= MOST ? text : text.slice(0, MOST).replace(/[\uD800-\uDBFF]$/, "");
}

/** The facts in the row of a survey in the survey list (2.1); null for a field that is not as documented. */
export function surveyFacts({ name, modified, languageId }: Record<string, unknown>): SurveyFacts {
  return {
    name: isText(name) ? shortened(name) : null,
    modified: isText(modified) ? shortened(modified) : null,
    languageId: isInteger(languageId) ? languageId : null,
  };
}

/** The counts by which a response rate is worked out; null where one cannot be read. */
export type SurveyCounts = Pick<SurveyCounted["data"], "impressions" | "opened" | "responses">;

/** The counts in the same row. */
export function surveyCounts({ impressions, opened, responses }: Record<string, unknown>): SurveyCounts {
  return {
    impressions: readId(impressions) ?? null,
    opened: readId(opened) ?? null,
    responses: readId(responses) ?? null,
  };
}
