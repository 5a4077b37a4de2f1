import { randomUUID } from "node:crypto";
import { proxyProblem } from "../config/proxy.ts";
import { PollerError } from "../errors.ts";
import { isObject } from "../events/build/fields.ts";
import { parseJson } from "../secrets/secret-values.ts";

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
}

export class EnvironmentError extends PollerError {
  readonly code = "BAD_ENVIRONMENT";
}

/** @throws EnvironmentError naming every variable that is missing or unreadable */
export function readEnvironment(variables: Record<string, string | undefined>): Environment {
  const { TABLE_NAME = "", BUS_NAME = "", CLAIM_CHECK_BUCKET = "", ALONE, SURVEY_PROXY, SECRETS = "" } = variables;
  const secrets = readSecrets(SECRETS);
  const problems = {
    TABLE_NAME: TABLE_NAME === "",
    BUS_NAME: BUS_NAME === "",
    CLAIM_CHECK_BUCKET: CLAIM_CHECK_BUCKET === "",
    ALONE: ALONE !== undefined && ALONE !== "true",
    SURVEY_PROXY: SURVEY_PROXY !== undefined && proxyProblem(SURVEY_PROXY) !== undefined,
    SECRETS: secrets === undefined,
  };
  if (secrets === undefined || Object.values(problems).includes(true)) throw lacks(problems);
  return {
    tableName: TABLE_NAME,
    busName: BUS_NAME,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
    alone: ALONE === "true",
    proxy: SURVEY_PROXY,
    secrets,
  };
}

/** The environment that the stack gives to the forwarder of a webhook. */
export interface ForwardEnvironment {
  /** Name of the webhook in the configuration. */
  webhook: string;
  queueUrl: string;
  deadLettersUrl: string;
  claimCheckBucket: string;
}

/** @throws EnvironmentError naming every variable that is missing */
export function readForwardEnvironment(variables: Record<string, string | undefined>): ForwardEnvironment {
  const { WEBHOOK = "", QUEUE_URL = "", DEAD_LETTERS_URL = "", CLAIM_CHECK_BUCKET = "" } = variables;
  const needed = { WEBHOOK, QUEUE_URL, DEAD_LETTERS_URL, CLAIM_CHECK_BUCKET };
  const problems = Object.fromEntries(Object.entries(needed).map(([name, value]) => [name, value === ""]));
  if (Object.values(problems).includes(true)) throw lacks(problems);
  return {
    webhook: WEBHOOK,
    queueUrl: QUEUE_URL,
    deadLettersUrl: DEAD_LETTERS_URL,
    claimCheckBucket: CLAIM_CHECK_BUCKET,
  };
}

/** @param problems by the name of a variable, whether it is missing or cannot be read */
function lacks(problems: Record<string, boolean>): EnvironmentError {
  const names = Object.keys(problems).filter((name) => problems[name]);
  return new EnvironmentError(`the function's environment lacks: ${names.join(", ")}`, {
    hint: "Deploy the stack again.",
  });
}

/** Undefined for what is not of the form that the stack gives. */
function readSecrets(text: string): Environment["secrets"] | undefined {
  const isId = (value: unknown): boolean => typeof value === "string" && value !== "";
  const isPair = (pair: unknown): boolean => isObject(pair) && isId(pair.credentials) && isId(pair.token);
  const read = parseJson(text);
  return isObject(read) && Object.values(read).every(isPair) ? (read as Environment["secrets"]) : undefined;
}

/**
 * The name under which an invocation takes leases. An invocation that is delivered twice has the same request id while both run. So the
 * request id does not tell them apart, and each waits for the leases of the other, as for anybody's.
 */
export function leaseOwner({ alone }: Pick<Environment, "alone">, requestId: string): string {
  return alone ? requestId : `${requestId}/${randomUUID()}`;
}
