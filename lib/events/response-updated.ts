import * as z from "zod";
import { CHANGES } from "./contract.ts";
import { instant, object, openWord } from "./parts.ts";
import { contents, contentsMeta } from "./response-completed.ts";

/** The `detail` of a `response.updated` event: take this instead of the event that `meta.replaces` names. */
export const responseUpdated = object(
  "ResponseUpdated",
  "A response that has changed after its event: take this instead",
  {
    meta: object("UpdateMeta", "How the update of a response was made", {
      ...contentsMeta.shape,
      replaces: z.string().describe("The event that this one replaces"),
      changed: z
        .array(openWord(CHANGES, "What differs from the event that is replaced; all words where that is not known"))
        .describe("Facts are dates, country, key and code; records are how many of them the response has"),
    }),
    data: object("UpdatedContents", "The contents of a response as they are now", {
      ...contents.shape,
      observedAt: instant("When the poller first saw the change"),
    }),
  },
);

export type ResponseUpdated = z.infer<typeof responseUpdated>;
