import * as z from "zod";
import { instant, meta, named, numbered } from "./parts.ts";
import { survey } from "./response-completed.ts";

// The `detail` of events that tell of something beside the contents of a response.

/** A response that an event told of is listed no more. It has no contents. */
export const responseDeleted = z
  .looseObject({
    meta,
    data: z
      .looseObject({
        surveyId: z.int(),
        responseId: z.int(),
        survey: survey.nullable(),
        lastEventId: z.string().describe("The last event with the contents of this response"),
        observedAt: instant("When the second full read in a row ended that did not list it"),
      })
      .meta(named("DeletedResponse", "Which response it is, and when that was seen")),
  })
  .meta(named("ResponseDeleted", "A response that an event told of is listed no more"));

export type ResponseDeleted = z.infer<typeof responseDeleted>;

/** The survey list shows a survey otherwise than before. */
export const surveyChanged = z
  .looseObject({
    meta: numbered.meta(named("SurveyChangeMeta", "How the event of a changed survey was made")),
    data: z
      .looseObject({
        surveyId: z.int(),
        before: survey.nullable().describe("Null where the survey was not listed before"),
        after: survey.nullable().describe("Null where the survey is listed no more"),
      })
      .meta(named("SurveyChange", "The survey before and after")),
  })
  .meta(named("SurveyChanged", "The survey list shows a survey otherwise than before"));

export type SurveyChanged = z.infer<typeof surveyChanged>;

const count = (description: string) =>
  z.int().nullable().describe(`${description}, as the service counts them; null where that cannot be read`);

/** The counts of a survey have changed. */
export const surveyCounted = z
  .looseObject({
    meta: numbered.meta(named("SurveyCountMeta", "How the event of a survey's counts was made")),
    data: z
      .looseObject({
        surveyId: z.int(),
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
