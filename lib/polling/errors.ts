import { errorCode, framesOf, PollerError, type ToldFailure } from "../errors.ts";

/** Someone else has taken a lease over: whoever sees this stops before it publishes. */
export class LeaseLostError extends PollerError {
  readonly code = "LEASE_LOST";
}

export function leaseLost(lease: { surveyId: number } | { role: string }): LeaseLostError {
  const what = "role" in lease ? `the ${lease.role} of this source` : `survey ${lease.surveyId}`;
  return new LeaseLostError(`${what} is in the hands of another invocation now`, { retryable: true });
}

export class OutOfTimeError extends PollerError {
  readonly code = "OUT_OF_TIME";
  constructor() {
    super("the invocation's time is over", { retryable: true, hint: "The next tick goes on where this one stopped." });
  }
}

/** The state belongs to another service, or was written by a newer version. */
export class StateRefusedError extends PollerError {
  readonly code = "STATE_REFUSED";
}

export class PublishFailedError extends PollerError {
  readonly code = "PUBLISH_FAILED";
}

/** A page that should be there is not: what lies on it cannot be read now. */
export class RangeUnreachableError extends PollerError {
  readonly code = "RANGE_UNREACHABLE";
}

export class SurveyListUnreadableError extends PollerError {
  readonly code = "SURVEY_LIST_UNREADABLE";
}

/** Failures that concern the whole source: no survey can be polled now, so the tick ends. */
const wholeSource = new Set([
  "WRONG_CREDENTIALS",
  "WRONG_TOKEN",
  "TOO_MANY_RENEWALS",
  "CREDENTIALS_MISSING",
  "TOO_MANY_REQUESTS",
  "STATE_REFUSED",
]);

export function concernsWholeSource(error: unknown): boolean {
  return wholeSource.has(errorCode(error));
}

/** Whether the error tells nothing of its subject: this invocation may not, or cannot, go on with it. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof LeaseLostError || error instanceof OutOfTimeError;
}

export function endsWork(error: unknown): boolean {
  return concernsWholeSource(error) || isInterrupted(error);
}

/** A message of our own errors is fit for people; of others only the name and the place are given, as they may quote data. */
export function failureOf(error: unknown): ToldFailure {
  const code = errorCode(error);
  const own = typeof error === "object" && error !== null && "hint" in error && error instanceof Error;
  return own ? { code, message: error.message } : { code, message: code, ...framesOf(error) };
}

export function refusedForGood(type: string, code: string): PublishFailedError {
  return new PublishFailedError(`the event bus has refused a ${type} event for good (${code})`, {
    hint: "It is not sent again, and those after it go on. Look the code up in the API of PutEvents.",
  });
}

export function notTaken(code: string): PublishFailedError {
  return new PublishFailedError(`the event bus did not take every event (${code})`, {
    retryable: true,
    hint: "Nothing is lost: they are published at the next tick. Look at the bus's quota and the function's permissions.",
  });
}
