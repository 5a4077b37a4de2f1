import type { SurveyFacts } from "../response-completed.ts";
import { isInteger, isText } from "./fields.ts";
import { shortened } from "./shortened.ts";

/** The facts in the row of a survey in the survey list (2.1); null for a field that is not as documented. */
export function surveyFacts({ name, modified, languageId }: Record<string, unknown>): SurveyFacts {
  return {
    name: isText(name) ? shortened(name) : null,
    modified: isText(modified) ? shortened(modified) : null,
    languageId: isInteger(languageId) ? languageId : null,
  };
}
