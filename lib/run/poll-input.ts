import * as z from "zod";
import { flag, section } from "../config/fields.ts";
import { pathText } from "../config/shape.ts";
import { PollerError } from "../errors.ts";

/** Input of the poll function: what its schedule passes, or a person. */
export interface PollInput {
  /** Name of the source to poll; all of them when left out. */
  source?: string | undefined;
  /** The operation that an operator's command asks for, instead of a poll: see lib/operator. */
  operation?: { kind: string; [field: string]: unknown } | undefined;
  /** Whether a schedule invokes it: then a tick that fails is not thrown. */
  scheduled?: boolean | undefined;
}

/** The function was invoked with an input it does not know. */
export class PollInputError extends PollerError {
  readonly code = "BAD_INPUT";
}

const OPERATION = "must be an object with a kind";
const inputSchema = section({
  source: z.string({ error: "must be the name of a source" }).optional(),
  operation: z.looseObject({ kind: z.string({ error: OPERATION }) }, { error: OPERATION }).optional(),
  scheduled: flag().optional(),
});

/**
 * Checks what the function was invoked with; nothing at all is an empty input. An operation without a source is meant for the only one.
 *
 * @throws PollInputError that names every bad field
 */
export function readPollInput(input: unknown, sources: readonly string[]): PollInput {
  const parsed = inputSchema.safeParse(input ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      [pathText(path), message].filter(Boolean).join(": "),
    );
    throw refused([...new Set(problems)].join("; "));
  }
  const { source, operation } = parsed.data;
  if (operation === undefined) return parsed.data;
  const chosen = source ?? (sources.length === 1 ? sources[0] : undefined);
  if (chosen === undefined || !sources.includes(chosen)) {
    throw refused(`source: must be one of ${sources.map((name) => `"${name}"`).join(", ")}`);
  }
  return { source: chosen, operation };
}

function refused(problems: string): PollInputError {
  // Whoever invokes the function by hand sees the message alone.
  return new PollInputError(`Bad input: ${problems}. An input is such as {} or {"source":"main"}.`);
}
