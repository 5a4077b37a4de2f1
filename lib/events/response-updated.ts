import * as z from "zod";
import { CHANGES } from "./contract.ts";
import { instant } from "./meta.ts";
import { openWord } from "./open-word.ts";
import { contents, contentsMeta, responseCompleted } from "./response-completed.ts";

/** The `detail` of a `response.updated` event: take this instead of the event that `meta.replaces` names. */
export const responseUpdated = responseCompleted.extend({
  meta: contentsMeta.extend({
    replaces: z.string().describe("The event that this one replaces"),
    changed: z
      .array(openWord(CHANGES, "What differs from the event that is replaced; all words where that is not known"))
      .describe("Facts are dates, country, key and code; records are how many of them the response has"),
  }),
  data: contents.extend({ observedAt: instant("When the poller first saw the change") }),
});

export type ResponseUpdated = z.infer<typeof responseUpdated>;
