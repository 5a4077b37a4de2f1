import * as z from "zod";

/** The output of `pause --json` and `resume --json`, beside `schemaVersion`. */
export const pauseAnswer = z.strictObject({
  dryRun: z.boolean(),
  sources: z.array(
    z.strictObject({
      source: z.string(),
      was: z.enum(["running", "paused"]),
      becomes: z.enum(["running", "paused"]),
      since: z.int().nullable().describe("Epoch milliseconds since which it is paused"),
      until: z.int().nullable().describe("Epoch milliseconds at which it goes on; null: when it is resumed"),
    }),
  ),
});

export type PauseAnswer = z.infer<typeof pauseAnswer>;
