import { join } from "node:path";
import * as z from "zod";
import { EnvironmentError } from "./environment.ts";

/** The environment that the stack gives to the forwarder of a webhook. */
export interface ForwardEnvironment {
  /** Name of the webhook in the configuration. */
  webhook: string;
  queueUrl: string;
  deadLettersUrl: string;
  claimCheckBucket: string;
  configFile: string;
}

const schema = z.object({
  WEBHOOK: z.string().min(1),
  QUEUE_URL: z.string().min(1),
  DEAD_LETTERS_URL: z.string().min(1),
  CLAIM_CHECK_BUCKET: z.string().min(1),
});

/** @throws EnvironmentError naming every variable that is missing */
export function readForwardEnvironment(
  variables: Record<string, string | undefined>,
  bundleFolder: string,
): ForwardEnvironment {
  const parsed = schema.safeParse(variables, { jitless: true });
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].join(", ");
    throw new EnvironmentError(`the function's environment lacks: ${names}`, { hint: "Deploy the stack again." });
  }
  const { WEBHOOK, QUEUE_URL, DEAD_LETTERS_URL, CLAIM_CHECK_BUCKET } = parsed.data;
  return {
    webhook: WEBHOOK,
    queueUrl: QUEUE_URL,
    deadLettersUrl: DEAD_LETTERS_URL,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
    configFile: join(bundleFolder, "config.json"),
  };
}
