import { errorCode, PollerError, type PollerErrorOptions } from "../errors.ts";

/** How a command ends. A monitor tells 3 from 5 by it: the first says nothing of what is missing, the second does. */
export const EXIT = {
  /** Done, or proved. */
  done: 0,
  failed: 1,
  /** Called wrongly: nothing was done. */
  usage: 2,
  /** Nothing can be proved now: something moves, is paused or fails. The message says when to try again. */
  notNow: 3,
  /** Credentials of AWS or of the survey service. */
  credentials: 4,
  /** Something is unaccounted for: one line each on standard output. */
  unaccounted: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class UsageError extends PollerError {
  readonly code = "BAD_USAGE";
}

export interface CommandErrorOptions extends PollerErrorOptions {
  /** The command line to run next, such as "survey-poller status --stack SurveyPoller". */
  next?: string;
}

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

export function notNow(code: string, message: string, options: CommandErrorOptions): CommandError {
  return new CommandError(code, message, { retryable: true, ...options }, EXIT.notNow);
}

export class InterruptedError extends CommandError {
  constructor() {
    super("INTERRUPTED", "interrupted", { hint: "The state is safe: run it again to go on." }, EXIT.interrupted);
  }
}

const CREDENTIALS =
  /^(AWS_CREDENTIALS_(MISSING|REFUSED)|ACCESS_DENIED|CREDENTIALS_(MISSING|UNREADABLE)|WRONG_(CREDENTIALS|TOKEN)|TOO_MANY_RENEWALS)$/;

/** The survey service cannot be reached, or asks to be left alone; or the time was not enough. */
const NOT_NOW = /^(UNREACHABLE|TIMEOUT|TOO_MANY_REQUESTS|OUT_OF_TIME|PAUSED)$/;

/** The exit code that goes with the code of an error, its own or that of an operation of the function. */
export function exitOf(code: string): ExitCode {
  if (CREDENTIALS.test(code)) return EXIT.credentials;
  if (code === "UNACCOUNTED") return EXIT.unaccounted;
  return NOT_NOW.test(code) ? EXIT.notNow : EXIT.failed;
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exit;
  if (error instanceof UsageError) return EXIT.usage;
  const code = errorCode(error);
  return code === "CANCELLED" ? EXIT.interrupted : exitOf(code);
}

const PASSING = new Set(["TOO_MANY_REQUESTS", "SERVER_ERROR", "UNREACHABLE", "TIMEOUT", "OUT_OF_TIME"]);

/** Runs what writes the file, or folder, that an option names. */
export function orNotWritten<T>(option: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const hint = `Give another ${option}, in a folder that is there, may be written to and has room.`;
    throw new CommandError("FILE_NOT_WRITTEN", "the file could not be written", { hint, cause: error });
  }
}

/** Runs what asks the survey service: that this fails now says nothing of what is missing. */
export async function unlessFailing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PollerError) || !PASSING.has(errorCode(error))) throw error;
    const hint = "Try again when the survey service answers; what was begun is safe.";
    throw notNow(errorCode(error), error.message, { hint, cause: error });
  }
}
