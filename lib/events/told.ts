import * as z from "zod";
import { instant, meta, numbered, object } from "./parts.ts";
import { survey } from "./response-completed.ts";

// The `detail` of events that tell of something beside the contents of a response.

/** A response that an event told of is listed no more. It has no contents. */
export const responseDeleted = object("ResponseDeleted", "A response that an event told of is listed no more", {
  meta,
  data: object("DeletedResponse", "Which response it is, and when that was seen", {
    surveyId: z.int(),
    responseId: z.int(),
    survey: survey.nullable(),
    lastEventId: z.string().describe("The last event with the contents of this response"),
    observedAt: instant("When the second full read in a row ended that did not list it"),
  }),
});

export type ResponseDeleted = z.infer<typeof responseDeleted>;

/** The survey list shows a survey otherwise than before. */
export const surveyChanged = object("SurveyChanged", "The survey list shows a survey otherwise than before", {
  meta: object("SurveyChangeMeta", "How the event of a changed survey was made", numbered),
  data: object("SurveyChange", "The survey before and after", {
    surveyId: z.int(),
    before: survey.nullable().describe("Null where the survey was not listed before"),
    after: survey.nullable().describe("Null where the survey is listed no more"),
  }),
});

export type SurveyChanged = z.infer<typeof surveyChanged>;

const count = (description: string) =>
  z.int().nullable().describe(`${description}, as the service counts them; null where that cannot be read`);

/** The counts of a survey have changed. */
export const surveyCounted = object("SurveyCounted", "The counts of a survey have changed", {
  meta: object("SurveyCountMeta", "How the event of a survey's counts was made", numbered),
  data: object("SurveyCounts", "The counts of a survey in the survey list", {
    surveyId: z.int(),
    survey: survey.nullable(),
    asOf: instant("When the survey list showed these counts"),
    impressions: count("How often it was shown"),
    opened: count("How often it was opened"),
    responses: count("Responses"),
  }),
});

export type SurveyCounted = z.infer<typeof surveyCounted>;
