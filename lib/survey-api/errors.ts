import { PollerError, type PollerErrorOptions } from "../errors.ts";
import type { Operation } from "./paths.ts";

/** The facts of a request that an error tells beside its message. */
export interface About {
  operation: Operation;
  /** How often the request was made. */
  attempts: number;
}

/** The same of an answer that came. */
export interface AboutAnswer extends About {
  /** HTTP status. */
  status: number;
}

export interface SurveyApiErrorOptions extends PollerErrorOptions, Partial<AboutAnswer> {
  operation: Operation;
  /** Outline of the body: names, types and lengths, never a value. */
  excerpt?: string;
  /** Milliseconds the service asked to wait. */
  retryAfter?: number;
}

/** The failures that may pass: the retry policy says how often each is met with another request. */
export type FailureCode =
  | "SERVER_ERROR"
  | "UNREACHABLE"
  | "TIMEOUT"
  | "UNREADABLE_BODY"
  | "ANSWER_MISMATCH"
  | "TOO_MANY_REQUESTS";

/** Base of every error of the survey service: which operation failed, how, and after how many attempts. */
export abstract class SurveyApiError extends PollerError {
  readonly operation: Operation;
  readonly status: number | undefined;
  readonly attempts: number;
  readonly excerpt: string | undefined;
  /** Milliseconds the service asked to wait (429, 503); undefined when it did not say. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: SurveyApiErrorOptions) {
    super(`${options.operation}: ${message}${options.excerpt === undefined ? "" : `: ${options.excerpt}`}`, options);
    this.operation = options.operation;
    this.status = options.status;
    this.attempts = options.attempts ?? 1;
    this.excerpt = options.excerpt;
    this.retryAfter = options.retryAfter;
  }
}

/** 400 that is not about the token. */
export class BadRequestError extends SurveyApiError {
  readonly code = "BAD_REQUEST";
}

/** 401 on the token request: the client id or the client secret is wrong. */
export class WrongCredentialsError extends SurveyApiError {
  readonly code = "WRONG_CREDENTIALS";
}

/** 401 for something with a token that opens other things. */
export class NotAllowedError extends SurveyApiError {
  readonly code = "NOT_ALLOWED";
}

/** Refused with two new tokens, of which none was ever accepted for anything. */
export class WrongTokenError extends SurveyApiError {
  readonly code = "WRONG_TOKEN";
}

/** Five tokens were refused soon after they had come: another one would be, too. */
export class TooManyRenewalsError extends SurveyApiError {
  readonly code = "TOO_MANY_RENEWALS";
}

export class NotFoundError extends SurveyApiError {
  readonly code = "NOT_FOUND";
}

export class TooManyRequestsError extends SurveyApiError {
  readonly code = "TOO_MANY_REQUESTS";
  override readonly retryable = true;
}

/** 5xx, or a status that the API document does not list. */
export class ServerError extends SurveyApiError {
  readonly code = "SERVER_ERROR";
}

/** No connection, or one that broke before the answer was whole. */
export class NetworkError extends SurveyApiError {
  readonly code = "UNREACHABLE";
}

export class TimeoutError extends SurveyApiError {
  readonly code = "TIMEOUT";
}

/** An answer that cannot be read: it is not what the API document shows, or has no field that it shows. `excerpt` outlines it. */
export class UnreadableBodyError extends SurveyApiError {
  readonly code = "UNREADABLE_BODY";
}

/** An answer about another survey or another response than the one that was asked for: nothing of it is believed. */
export class AnswerMismatchError extends SurveyApiError {
  readonly code = "ANSWER_MISMATCH";
}

/** The client was made with options that cannot work: every one of them is named. */
export class OptionsError extends PollerError {
  readonly code = "OPTIONS";
}

/** There are no credentials to ask for a token with; `isUnreadable`: those that are there may not be read, or have a wrong form. */
export class CredentialsMissingError extends PollerError {
  readonly code = "CREDENTIALS_MISSING";
  readonly isUnreadable: boolean;

  constructor(message: string, options: PollerErrorOptions & { isUnreadable?: boolean } = {}) {
    super(message, options);
    this.isUnreadable = options.isUnreadable ?? false;
  }
}
