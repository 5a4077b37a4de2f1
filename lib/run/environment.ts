import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { proxyProblem } from "../config/proxy.ts";
import { PollerError } from "../errors.ts";

/** The settings that the stack, or the local runner, gives a function by its environment. */
export interface Environment {
  tableName: string;
  busName: string;
  claimCheckBucket: string;
  /** Whether nobody else can be at work under the name of this process, as on one machine. It takes over the leases of an earlier one. */
  alone: boolean;
  /** URL of the HTTP proxy on the way to the survey service; without one straight there. */
  proxy?: string | undefined;
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
  ALONE: z.literal("true").optional(),
  SURVEY_PROXY: z
    .string()
    .refine((text) => proxyProblem(text) === undefined)
    .optional(),
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
  // What is read once is read sooner without code made for it.
  const parsed = environmentSchema.safeParse(variables, { jitless: true });
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].join(", ");
    throw new EnvironmentError(`the function's environment lacks: ${names}`, { hint: "Deploy the stack again." });
  }
  const { TABLE_NAME, BUS_NAME, CLAIM_CHECK_BUCKET, ALONE, SURVEY_PROXY, SECRETS } = parsed.data;
  return {
    tableName: TABLE_NAME,
    busName: BUS_NAME,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
    alone: ALONE === "true",
    proxy: SURVEY_PROXY,
    secrets: SECRETS,
    configFile: join(bundleFolder, "config.json"),
  };
}

/**
 * The name under which an invocation takes leases. An invocation that is delivered twice has the same request id while both run. So the
 * request id does not tell them apart, and each waits for the leases of the other, as for anybody's.
 */
export function leaseOwner({ alone }: Pick<Environment, "alone">, requestId: string): string {
  return alone ? requestId : `${requestId}/${randomUUID()}`;
}
