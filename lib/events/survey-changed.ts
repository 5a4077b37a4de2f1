import * as z from "zod";
import { meta, named } from "./parts.ts";
import { survey } from "./response-completed.ts";

/** The `detail` of a `survey.changed` event: the survey list shows a survey otherwise than before. */
export const surveyChanged = z
  .looseObject({
    meta: meta
      .extend({
        sequence: z.number().int().positive().describe("1 for the first of a survey, one more for each that follows"),
      })
      .meta(named("SurveyChangeMeta", "How the event of a changed survey was made")),
    data: z
      .looseObject({
        surveyId: z.number().int(),
        before: survey.nullable().describe("Null where the survey was not listed before"),
        after: survey.nullable().describe("Null where the survey is listed no more"),
      })
      .meta(named("SurveyChange", "The survey before and after")),
  })
  .meta(named("SurveyChanged", "The survey list shows a survey otherwise than before"));

export type SurveyChanged = z.infer<typeof surveyChanged>;
