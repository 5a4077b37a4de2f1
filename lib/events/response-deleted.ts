import * as z from "zod";
import { instant, meta, named } from "./parts.ts";
import { survey } from "./response-completed.ts";

/** The `detail` of a `response.deleted` event: a response that an event told of is listed no more. It has no contents. */
export const responseDeleted = z
  .looseObject({
    meta,
    data: z
      .looseObject({
        surveyId: z.number().int(),
        responseId: z.number().int(),
        survey: survey.nullable(),
        lastEventId: z.string().describe("The last event with the contents of this response"),
        observedAt: instant("When the second full read in a row ended that did not list it"),
      })
      .meta(named("DeletedResponse", "Which response it is, and when that was seen")),
  })
  .meta(named("ResponseDeleted", "A response that an event told of is listed no more"));

export type ResponseDeleted = z.infer<typeof responseDeleted>;
