/** Options every error of the project takes. */
export interface PollerErrorOptions {
  /** Advice for the reader on the next step, as one sentence. */
  hint?: string;
  cause?: unknown;
  /** Whether the same call may succeed when it is made again later. */
  retryable?: boolean;
}

/** Base of all errors raised on purpose: `code` for programs, `message` and `hint` for people, never a secret in either. */
export abstract class PollerError extends Error {
  abstract readonly code: string;
  readonly retryable: boolean;
  readonly hint: string;

  constructor(message: string, options: PollerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.hint = options.hint ?? "";
  }
}

// Class names do not survive the bundler; codes do.
Object.defineProperty(PollerError.prototype, "name", {
  get(this: PollerError) {
    return this.code;
  },
});

/** The `code` of anything thrown: also of errors that crossed a bundle boundary, where `instanceof` no longer holds. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "UNKNOWN";
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === "string") return code;
  return typeof name === "string" ? name : "UNKNOWN";
}

/** A failure in words that are fit for people and for a log. */
export interface ToldFailure {
  code: string;
  message: string;
  /** Of a fault of our own: where it happened, the innermost first. */
  frames?: string[];
}

/** File, line and column at the end of a frame of a stack. */
const FRAME = /^ {4}at (?:.*[/\\(])?([\w.-]+\.[cm]?[jt]s:\d+:\d+)\)?$/;

/** The frames of an error that has no code to tell what it is. They hold no data; its message may, and is left out. */
export function framesOf(error: unknown): Pick<ToldFailure, "frames"> {
  if (!(error instanceof Error) || "code" in error) return {};
  const quoted = new Set(error.message.split("\n"));
  const lines = (error.stack ?? "").split("\n").filter((line) => !quoted.has(line));
  return { frames: lines.flatMap((line) => FRAME.exec(line)?.[1] ?? []) };
}

/**
 * The line that a command writes to standard error before it ends with exit code 1. Of an error that is not the poller's own only
 * `unexpected` knows how to speak.
 */
export function oneLine(error: unknown, unexpected: (error: unknown) => string): string {
  // Errors of a bundle are of another copy of the class: known by their hint.
  const own = error instanceof PollerError || (error instanceof Error && "hint" in error && "code" in error);
  if (!own) return unexpected(error);
  const { message, hint } = error as PollerError;
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  return `${sentence} ${hint}`.trim().replaceAll(/\s*\n\s*/g, " ");
}
