import * as z from "zod";

/** The output of `token renew --json`, beside `schemaVersion`. */
export const renewAnswer = z.strictObject({
  dryRun: z.boolean(),
  source: z.string(),
  secretId: z.string().describe("The token secret"),
  keptSince: z.int().nullable().describe("Epoch milliseconds; null where there was none, or it may not be looked at"),
  expiresAt: z.int().nullable().describe("Of the new token, where it is known"),
  shape: z.string().nullable().describe("Names and types in the answer that the token came in; no value"),
});

export type RenewAnswer = z.infer<typeof renewAnswer>;
