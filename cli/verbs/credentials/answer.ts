import * as z from "zod";

/** The output of `credentials --json`, beside `schemaVersion`. */
export const credentialsAnswer = z.strictObject({
  dryRun: z.boolean(),
  secretId: z.string(),
  replaces: z
    .boolean()
    .nullable()
    .describe("Whether the secret had a value already; null where it may not be looked at"),
  version: z.string().nullable().describe("Of the value that was written; null in a dry run"),
  from: z.enum(["the environment", "the terminal", "standard input"]),
  checked: z.boolean().describe("Whether the survey service has given a token for them"),
});

export type CredentialsAnswer = z.infer<typeof credentialsAnswer>;
