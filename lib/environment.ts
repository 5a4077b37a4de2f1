import { join } from "node:path";
import * as z from "zod";
import { PollerError } from "./errors.ts";

/** What the stack, or the local runner, tells a function by its environment. */
export interface Environment {
  tableName: string;
  busName: string;
  claimCheckBucket: string;
  /** Secret ids by source name. */
  secrets: Record<string, { credentials: string; token: string }>;
  /** The configuration travels as a file in the bundle: variables are limited to 4 KB together. */
  configFile: string;
}

export class EnvironmentError extends PollerError {
  readonly code = "BAD_ENVIRONMENT";
}

const secretsSchema = z.record(z.string(), z.object({ credentials: z.string().min(1), token: z.string().min(1) }));
const environmentSchema = z.object({
  TABLE_NAME: z.string().min(1),
  BUS_NAME: z.string().min(1),
  CLAIM_CHECK_BUCKET: z.string().min(1),
  SECRETS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "not JSON" });
        return z.NEVER;
      }
    })
    .pipe(secretsSchema),
});

/** @throws EnvironmentError naming every variable that is missing or unreadable */
export function readEnvironment(variables: Record<string, string | undefined>, bundleFolder: string): Environment {
  const parsed = environmentSchema.safeParse(variables);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].join(", ");
    throw new EnvironmentError(`the function's environment lacks: ${names}`, { hint: "Deploy the stack again." });
  }
  const { TABLE_NAME, BUS_NAME, CLAIM_CHECK_BUCKET, SECRETS } = parsed.data;
  return {
    tableName: TABLE_NAME,
    busName: BUS_NAME,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
    secrets: SECRETS,
    configFile: join(bundleFolder, "config.json"),
  };
}
