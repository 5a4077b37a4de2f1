import * as z from "zod";
import { kinds } from "../trigger/kinds.ts";

/** The answer of `webhook test --json`, beside `schemaVersion`. */
export const webhookTestAnswer = z.strictObject({
  dryRun: z.boolean(),
  webhook: z.string(),
  endpoint: z.string().describe("Without its query, which may hold a key"),
  kind: z.enum(kinds),
  type: z.string(),
  eventId: z.string().describe("Of no real event, and another each time: `webhook-id` of the request"),
  delivery: z
    .strictObject({
      status: z.int().nullable().describe("Null where no answer came"),
      milliseconds: z.int(),
      problem: z.string().nullable().describe("Why no answer came: a code"),
      outcome: z
        .enum(["taken", "retried", "given-up"])
        .describe("Taken; or what would become of an event: tried again, or put into the dead-letter queue at once"),
      firstLine: z.string().nullable().describe("Of the answer's body, at most 200 characters"),
    })
    .nullable()
    .describe("Null in a dry run"),
});

export type WebhookTestAnswer = z.infer<typeof webhookTestAnswer>;
