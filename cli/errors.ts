import { errorCode, PollerError, type PollerErrorOptions } from "../lib/errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { UsageError } from "./flags.ts";

export interface CommandErrorOptions extends PollerErrorOptions {
  /** The command line to run next, such as "survey-poller status --stack SurveyPoller". */
  next?: string;
}

/** A verb cannot do what it was asked for. */
export class CommandError extends PollerError {
  readonly code: string;
  readonly exit: ExitCode;
  readonly next: string | undefined;
  constructor(code: string, message: string, { next, ...options }: CommandErrorOptions, exit: ExitCode = EXIT.failed) {
    super(message, options);
    this.code = code;
    this.exit = exit;
    this.next = next;
  }
}

/** An error for work that may be possible later: the hint says when. */
export function notNow(code: string, message: string, options: CommandErrorOptions): CommandError {
  return new CommandError(code, message, { retryable: true, ...options }, EXIT.notNow);
}

/** Ctrl-C, or SIGTERM. */
export class InterruptedError extends CommandError {
  constructor() {
    super("INTERRUPTED", "interrupted", { hint: "The state is safe: run it again to go on." }, EXIT.interrupted);
  }
}

const CREDENTIALS =
  /^(AWS_CREDENTIALS_(MISSING|REFUSED)|AWS_REGION_MISSING|ACCESS_DENIED|CREDENTIALS_(MISSING|UNREADABLE)|WRONG_(CREDENTIALS|TOKEN)|TOO_MANY_RENEWALS)$/;

/** The survey service cannot be reached, or asks to be left alone; or the time was not enough. */
const NOT_NOW = /^(UNREACHABLE|TIMEOUT|TOO_MANY_REQUESTS|OUT_OF_TIME|PAUSED)$/;

/** The exit code that goes with the code of an error, its own or that of an operation of the function. */
export function exitOf(code: string): ExitCode {
  if (CREDENTIALS.test(code)) return EXIT.credentials;
  if (code === "UNACCOUNTED") return EXIT.unaccounted;
  return NOT_NOW.test(code) ? EXIT.notNow : EXIT.failed;
}

/** The exit code that goes with anything thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exit;
  if (error instanceof UsageError) return EXIT.usage;
  const code = errorCode(error);
  return code === "CANCELLED" ? EXIT.interrupted : exitOf(code);
}
