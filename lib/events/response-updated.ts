import * as z from "zod";
import { CHANGES } from "./contract.ts";
import { instant, named, openWord } from "./parts.ts";
import { contents, contentsMeta, responseCompleted } from "./response-completed.ts";

/** The `detail` of a `response.updated` event: take this instead of the event that `meta.replaces` names. */
export const responseUpdated = responseCompleted
  .extend({
    meta: contentsMeta
      .extend({
        replaces: z.string().describe("The event that this one replaces"),
        changed: z
          .array(openWord(CHANGES, "What differs from the event that is replaced; all words where that is not known"))
          .describe("Facts are dates, country, key and code; records are how many of them the response has"),
      })
      .meta(named("UpdateMeta", "How the update of a response was made")),
    data: contents
      .extend({ observedAt: instant("When the poller first saw the change") })
      .meta(named("UpdatedContents", "The contents of a response as they are now")),
  })
  .meta(named("ResponseUpdated", "A response that has changed after its event: take this instead"));

export type ResponseUpdated = z.infer<typeof responseUpdated>;
