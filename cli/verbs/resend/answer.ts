import * as z from "zod";

/** One event that was sent again, or was not. */
export const resentItem = z.strictObject({
  source: z.string().nullable().describe("Null for an id that no ledger has"),
  surveyId: z.int().nullable(),
  responseId: z.int().nullable(),
  eventId: z.string().nullable(),
  revision: z.int().nullable(),
  outcome: z
    .enum([
      "sent",
      "would-send",
      "replaced",
      "changed",
      "gone",
      "not-emitted",
      "unknown",
      "unproved",
      "failed",
      "refused",
      "left",
    ])
    .describe(
      "replaced: a later revision has taken its place; changed: the service shows other contents by now; left: nothing was tried",
    ),
  reason: z.string().nullable().describe("A code or a state; never contents"),
  update: z.int().nullable().describe("Of a replaced or changed one: the revision of its update"),
});

/** The output of `resend --json`, beside `schemaVersion`. */
export const resendAnswer = z.strictObject({
  dryRun: z.boolean(),
  sentence: z.string(),
  events: z.int().describe("Events that were sent, or would be"),
  items: z.array(resentItem),
});

export type ResentItem = z.infer<typeof resentItem>;
export type ResendAnswer = z.infer<typeof resendAnswer>;
