import * as z from "zod";

/** The output of `uninstall --json`, beside `schemaVersion`. */
export const uninstallAnswer = z.strictObject({
  dryRun: z.boolean(),
  stack: z.string(),
  found: z.array(z.string()).describe("Everything of the deployment that was there, with what was in it"),
  removed: z.array(z.string()),
});

export type UninstallAnswer = z.infer<typeof uninstallAnswer>;
