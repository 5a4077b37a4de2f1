import { errorCode, PollerError } from "../errors.ts";

/** The part of a logger that is used here. */
export interface Log {
  info(message: string, details: Record<string, unknown>): void;
  warn(message: string, details: Record<string, unknown>): void;
  error(message: string, details: Record<string, unknown>): void;
}

/** A failure in words that are fit for a log. */
export interface DescribedFailure {
  code: string;
  message: string;
  hint: string;
}

/** Only our own messages are fit for a log: others may quote what they were working on. */
export function describeFailure(error: unknown): DescribedFailure {
  const code = errorCode(error);
  if (error instanceof PollerError) return { code, message: error.message, hint: error.hint };
  return { code, message: `unexpected ${code}`, hint: "See the function's log and its permissions." };
}
