import * as z from "zod";
import { meta } from "./meta.ts";
import { named } from "./named.ts";
import { survey } from "./response-completed.ts";

/** The `detail` of a `survey.changed` event: the survey list shows a survey otherwise than before. */
export const surveyChanged = z
  .looseObject({
    meta,
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
