import { errorCode, PollerError } from "../lib/errors.ts";
import { notNow } from "./errors.ts";

const PASSING = new Set(["TOO_MANY_REQUESTS", "SERVER_ERROR", "UNREACHABLE", "TIMEOUT", "OUT_OF_TIME"]);

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
