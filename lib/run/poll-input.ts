import type { SQSEvent } from "aws-lambda";
import { unknownField } from "../config/unknown-field.ts";
import { PollerError } from "../errors.ts";
import { isObject } from "../json.ts";

/** Input of the poll function: what its schedule passes, a message of the tick queue, or a person. */
export interface PollInput {
  /** Name of the source to poll; all of them when left out. */
  source?: string | undefined;
  /** The operation that an operator's command asks for, instead of a poll: see lib/operator. */
  operation?: { kind: string; [field: string]: unknown } | undefined;
  /** Whether a schedule invokes it, or a message of its tick: then a tick that fails is not thrown. */
  scheduled?: boolean | undefined;
  /** Epoch milliseconds at which the message was sent; undefined without one. */
  sentAt?: number | undefined;
}

export class PollInputError extends PollerError {
  readonly code = "BAD_INPUT";
}

/** The alias of the function for subscribers: an invocation by it may read which events there are, and send them again. */
export const RESEND_ALIAS = "resend";
const OF_SUBSCRIBERS = ["emitted", "resend"];

/**
 * Checks what the function was invoked with; nothing at all is an empty input. An operation without a source is meant for the only one;
 * what the configuration says any of them tells.
 *
 * @param invoked the ARN by which the function was invoked; an alias is its last part
 * @throws PollInputError that names every bad field
 */
export function readPollInput(input: unknown, sources: readonly string[], invoked = ""): PollInput {
  const given = input ?? {};
  if (!isObject(given)) throw refused("must be an object");
  const { kind } = isObject(given.operation) ? given.operation : {};
  const isBySubscriber = invoked.endsWith(`:${RESEND_ALIAS}`);
  if (isBySubscriber && !OF_SUBSCRIBERS.some((one) => one === kind)) {
    throw refused(`operation.kind: must be ${OF_SUBSCRIBERS.join(" or ")} by the alias ${RESEND_ALIAS}`);
  }
  if (!isBySubscriber && Array.isArray(given.Records)) return fromMessage(given as unknown as SQSEvent, sources);
  const problems = Object.entries(given).flatMap(([name, value]) => problemOf(name, value) ?? []);
  if (problems.length > 0) throw refused(problems.join("; "));
  const { source, operation } = given as PollInput;
  if (operation === undefined) return given as PollInput;
  const isOfAny = sources.length === 1 || (operation as { kind: unknown }).kind === "describe";
  const chosen = source ?? (isOfAny ? sources[0] : undefined);
  if (chosen === undefined || !sources.includes(chosen)) {
    throw refused(`source: must be one of ${sources.map((name) => `"${name}"`).join(", ")}`);
  }
  return { source: chosen, operation };
}

/** A message names a source and nothing else: whoever may send one can start a tick, and no operation. Each invocation is given one. */
function fromMessage({ Records: [message] }: SQSEvent, sources: readonly string[]): PollInput {
  const { body: source = "", attributes } = message ?? {};
  const sentAt = Number(attributes?.SentTimestamp);
  if (!sources.includes(source) || !Number.isFinite(sentAt)) {
    throw refused("Records: must hold a message of the tick queue, with the name of a source");
  }
  return { source, scheduled: true, sentAt };
}

const FIELDS = ["source", "operation", "scheduled"];

function problemOf(name: string, value: unknown): string | undefined {
  if (!FIELDS.includes(name)) return `${name}: ${unknownField(name, FIELDS)}`;
  if (value === undefined) return undefined;
  if (name === "source") return typeof value === "string" ? undefined : "source: must be the name of a source";
  if (name === "scheduled") return typeof value === "boolean" ? undefined : "scheduled: must be true or false";
  if (!isObject(value)) return "operation: must be an object with a kind";
  return typeof value.kind === "string" ? undefined : "operation.kind: must be an object with a kind";
}

function refused(problems: string): PollInputError {
  // Whoever invokes the function by hand sees the message alone.
  return new PollInputError(`Bad input: ${problems}. An input is such as {} or {"source":"main"}.`);
}
