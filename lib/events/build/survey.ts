import type { SurveyFacts } from "../response-completed.ts";
import { isInteger, isText } from "./fields.ts";

/** Characters of a survey's name that an event carries. */
const MOST_NAME = 1_000;

/** What the row of a survey in the survey list says of it (2.1); null for a field that is not as documented. */
export function surveyFacts({ name, modified, languageId }: Record<string, unknown>): SurveyFacts {
  return {
    name: isText(name) ? name.slice(0, MOST_NAME) : null,
    modified: isText(modified) ? modified.slice(0, MOST_NAME) : null,
    languageId: isInteger(languageId) ? languageId : null,
  };
}
