import * as z from "zod";

/** The output of `console --json`, beside `schemaVersion`, once the page can be opened. */
export const consoleAnswer = z.strictObject({
  url: z.string().describe("With the token of this run, without which the page shows nothing"),
  poller: z.string(),
  actions: z.boolean().describe("Whether the page may pause, resume and audit"),
  events: z.boolean().describe("Whether events are heard, by a temporary rule and queue"),
});

export type ConsoleAnswer = z.infer<typeof consoleAnswer>;
