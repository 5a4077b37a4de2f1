import { errorCode, PollerError } from "../errors.ts";

/** Someone else has taken the lease of a survey over: whoever sees this stops before it publishes. */
export class LeaseLostError extends PollerError {
  readonly code = "LEASE_LOST";
}

/** The state belongs to another service, or was written by a newer version. */
export class StateRefusedError extends PollerError {
  readonly code = "STATE_REFUSED";
}

/** The bus did not take an event, or nobody knows whether it did: it is published again. */
export class PublishFailedError extends PollerError {
  readonly code = "PUBLISH_FAILED";
}

/** Failures that concern the whole source: no survey can be polled now, so the tick ends. */
const wholeSource = new Set([
  "WRONG_CREDENTIALS",
  "WRONG_TOKEN",
  "CREDENTIALS_MISSING",
  "TOO_MANY_REQUESTS",
  "STATE_REFUSED",
]);

export function concernsWholeSource(error: unknown): boolean {
  return wholeSource.has(errorCode(error));
}
