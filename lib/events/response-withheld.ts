import * as z from "zod";
import { instant, meta } from "./meta.ts";
import { named } from "./named.ts";
import { openWord } from "./open-word.ts";
import { survey } from "./response-completed.ts";

/**
 * Why a response, or its latest contents, has no event. It cannot be read, nothing proves its contents, or the bus has refused its event
 * for good.
 */
export const withheldStates = ["quarantined", "held", "refused"] as const;
export type WithheldState = (typeof withheldStates)[number];

const state = openWord(
  withheldStates,
  "Quarantined: it cannot be read. Held: nothing proves that its answers are all there. Refused: the bus does not take its event, or that of its update",
);

const ids = {
  surveyId: z.number().int(),
  responseId: z.number().int().nullable().describe("Null for a record that does not say of which response it is"),
  survey: survey.nullable(),
  state,
};

/** The `detail` of a `response.withheld` event. The poller knows of a response and does not give out its contents, or the latest ones. */
export const responseWithheld = z
  .looseObject({
    meta,
    data: z
      .looseObject({
        ...ids,
        reason: z.string().nullable().describe("A code; never contents"),
        since: instant("When the poller found that out"),
      })
      .meta(named("WithheldResponse", "Which response it is, and why it is withheld")),
  })
  .meta(named("ResponseWithheld", "A response whose contents are not given out yet"));

/** The `detail` of a `response.released` event: a response that was withheld is no more. */
export const responseReleased = z
  .looseObject({
    meta,
    data: z
      .looseObject({
        ...ids,
        lastEventId: z
          .string()
          .nullable()
          .describe(
            "The event with its contents; null where it needs none: it is not completed, or is from before the floor",
          ),
      })
      .meta(named("ReleasedResponse", "Which response it is, and the event with its contents")),
  })
  .meta(named("ResponseReleased", "A response that was withheld is withheld no more"));

export type ResponseWithheld = z.infer<typeof responseWithheld>;
export type ResponseReleased = z.infer<typeof responseReleased>;
