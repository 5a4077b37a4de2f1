import * as z from "zod";
import { instant } from "./meta.ts";
import { openWord } from "./open-word.ts";
import { contents, contentsMeta, responseCompleted } from "./response-completed.ts";

/** What of a response can differ from its last event: its answers, its dates, country, key and code, or how many records it has. */
export const changes = ["answers", "facts", "records"] as const;
export type Change = (typeof changes)[number];

/** The `detail` of a `response.updated` event: take this instead of the event that `meta.replaces` names. */
export const responseUpdated = responseCompleted.extend({
  meta: contentsMeta.extend({
    replaces: z.string().describe("The event that this one replaces"),
    changed: z
      .array(openWord(changes, "What differs from the event that is replaced"))
      .describe("Facts are dates, country, key and code; records are how many of them the response has"),
  }),
  data: contents.extend({ observedAt: instant("When the poller first saw the change") }),
});

export type ResponseUpdated = z.infer<typeof responseUpdated>;
