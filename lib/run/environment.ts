import { randomUUID } from "node:crypto";
import { proxyProblem } from "../config/proxy.ts";
import type { SecretNaming } from "../config/secret-names.ts";
import { PollerError } from "../errors.ts";
import { isObject } from "../json.ts";
import { parseJson } from "../secrets/secret-values.ts";

/** The settings that the stack, or the local runner, gives a function by its environment. */
export interface Environment {
  tableName: string;
  busName: string;
  factsBusName?: string | undefined;
  claimCheckBucket: string;
  /** Whether nobody else can be at work under the name of this process, as on one machine. It takes over the leases of an earlier one. */
  alone: boolean;
  /** URL of the HTTP proxy on the way to the survey service; without one straight there. */
  proxy?: string | undefined;
  /** Where ticks within a minute are asked for; undefined without any. */
  tickQueueUrl?: string | undefined;
  /** Not the names themselves: variables are limited to 4 KB together. */
  secrets: SecretNaming;
}

export class EnvironmentError extends PollerError {
  readonly code = "BAD_ENVIRONMENT";
}

/** @throws EnvironmentError naming every variable that is missing or unreadable */
export function readEnvironment(variables: Record<string, string | undefined>): Environment {
  const { TABLE_NAME = "", BUS_NAME = "", CLAIM_CHECK_BUCKET = "", ALONE, SURVEY_PROXY } = variables;
  const { SECRETS_PREFIX = "", CREDENTIALS_SECRETS = "{}" } = variables;
  const given = readNames(CREDENTIALS_SECRETS);
  refuseLacking({
    TABLE_NAME: TABLE_NAME === "",
    BUS_NAME: BUS_NAME === "",
    CLAIM_CHECK_BUCKET: CLAIM_CHECK_BUCKET === "",
    ALONE: ALONE !== undefined && ALONE !== "true",
    SURVEY_PROXY: SURVEY_PROXY !== undefined && proxyProblem(SURVEY_PROXY) !== undefined,
    SECRETS_PREFIX: SECRETS_PREFIX === "",
    CREDENTIALS_SECRETS: given === undefined,
  });
  return {
    tableName: TABLE_NAME,
    busName: BUS_NAME,
    factsBusName: variables.FACTS_BUS_NAME,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
    alone: ALONE === "true",
    proxy: SURVEY_PROXY,
    tickQueueUrl: variables.TICK_QUEUE_URL,
    secrets: { prefix: SECRETS_PREFIX, given },
  };
}

/**
 * The environment that the stack gives to the forwarder of a webhook.
 *
 * @throws EnvironmentError naming every variable that is missing
 */
export function readForwardEnvironment(variables: Record<string, string | undefined>) {
  const { WEBHOOK: webhook = "", QUEUE_URL: queueUrl = "", DEAD_LETTERS_URL: deadLettersUrl = "" } = variables;
  const { CLAIM_CHECK_BUCKET: claimCheckBucket = "" } = variables;
  refuseLacking({
    WEBHOOK: webhook === "",
    QUEUE_URL: queueUrl === "",
    DEAD_LETTERS_URL: deadLettersUrl === "",
    CLAIM_CHECK_BUCKET: claimCheckBucket === "",
  });
  return { webhook, queueUrl, deadLettersUrl, claimCheckBucket };
}

/** @param problems by the name of a variable, whether it is missing or cannot be read */
function refuseLacking(problems: Record<string, boolean>): void {
  const names = Object.keys(problems).filter((name) => problems[name]);
  if (names.length === 0) return;
  const message = `the function's environment lacks: ${names.join(", ")}`;
  throw new EnvironmentError(message, { hint: "Deploy the stack again." });
}

/** Undefined for what is not of the form that the stack gives. */
function readNames(text: string): Record<string, string> | undefined {
  const isName = (value: unknown): boolean => typeof value === "string" && value !== "";
  const read = parseJson(text);
  return isObject(read) && Object.values(read).every(isName) ? (read as Record<string, string>) : undefined;
}

/**
 * The name under which an invocation takes leases. An invocation that is delivered twice has the same request id while both run. So the
 * request id does not tell them apart, and each waits for the leases of the other, as for anybody's.
 */
export function leaseOwner({ alone }: Pick<Environment, "alone">, requestId: string): string {
  return alone ? requestId : `${requestId}/${randomUUID()}`;
}
