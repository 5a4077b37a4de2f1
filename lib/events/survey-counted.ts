import * as z from "zod";
import { instant, meta, named } from "./parts.ts";
import { survey } from "./response-completed.ts";

const count = (description: string) =>
  z.number().int().nullable().describe(`${description}, as the service counts them; null where that cannot be read`);

/** The `detail` of a `survey.counted` event: the counts of a survey have changed. */
export const surveyCounted = z
  .looseObject({
    meta: meta
      .extend({
        sequence: z.number().int().positive().describe("1 for the first of a survey, one more for each that follows"),
      })
      .meta(named("SurveyCountMeta", "How the event of a survey's counts was made")),
    data: z
      .looseObject({
        surveyId: z.number().int(),
        survey: survey.nullable(),
        asOf: instant("When the survey list showed these counts"),
        impressions: count("How often it was shown"),
        opened: count("How often it was opened"),
        responses: count("Responses"),
      })
      .meta(named("SurveyCounts", "The counts of a survey in the survey list")),
  })
  .meta(named("SurveyCounted", "The counts of a survey have changed"));

export type SurveyCounted = z.infer<typeof surveyCounted>;
