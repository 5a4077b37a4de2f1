import * as z from "zod";

/** The output of `init --json`, beside `schemaVersion`. */
export const initAnswer = z.strictObject({
  dryRun: z.boolean(),
  file: z.string(),
  replaces: z.boolean().describe("Whether there was a file of that name"),
  config: z.record(z.string(), z.unknown()).describe("What is in the file"),
  checked: z.boolean().describe("Whether the survey service was looked at"),
  notes: z.array(z.string()).describe("What doctor says of the configuration"),
  secret: z.strictObject({
    secretId: z.string(),
    stored: z.boolean().describe("Whether the credentials are in the secret now, or in a dry run would be"),
  }),
  next: z.array(z.string()).describe("The commands to run next, in order"),
});

export type InitAnswer = z.infer<typeof initAnswer>;
