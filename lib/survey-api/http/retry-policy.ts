import { type FailureCode, SurveyApiError, TooManyRequestsError } from "../errors.ts";
import type { Operation } from "../paths.ts";

type Attempts = Partial<Record<FailureCode, number>>;

/** Which failure of which operation is met with another request, how often, and after how long. */
export interface RetryPolicy {
  /** Requests made for one call when they all fail like this, the first one included; 1: no other. */
  attempts: Record<FailureCode, number>;
  /** The exceptions for single operations. */
  operations: Partial<Record<Operation, Attempts>>;
  /** Milliseconds before the second attempt, up to half of it less by chance; doubled for each further one. */
  baseDelay: number;
  /** Milliseconds; longest delay between two attempts. */
  maxDelay: number;
  /** Milliseconds; what the service asks to be left alone for longer ends the call, with an error that says how long. */
  longestPause: number;
}

/** The policy of a client that is made without one. Fields left out of another one are as here. */
export const defaultRetryPolicy: RetryPolicy = {
  attempts: {
    SERVER_ERROR: 4,
    // A frozen and thawed function finds its keep-alive sockets closed by the server: the second attempt is on a new one.
    UNREACHABLE: 4,
    TIMEOUT: 2,
    UNREADABLE_BODY: 3,
    ANSWER_MISMATCH: 3,
    // Requests that were refused together come back together: some meet several refusals in a row.
    TOO_MANY_REQUESTS: 10,
  },
  // The token request is a POST that may be made again: its only trace is one more token.
  operations: { "get token": { SERVER_ERROR: 3 } },
  baseDelay: 250,
  maxDelay: 8_000,
  longestPause: 120_000,
};

export type RetryOptions = Partial<Omit<RetryPolicy, "attempts">> & { attempts?: Attempts };

export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  return {
    ...defaultRetryPolicy,
    ...options,
    attempts: { ...defaultRetryPolicy.attempts, ...options.attempts },
    operations: { ...defaultRetryPolicy.operations, ...options.operations },
  };
}

/** Milliseconds to wait before the next attempt; undefined when the failure stands. `random` is in [0, 1). */
export function nextDelay(policy: RetryPolicy, error: unknown, attempt: number, random: number): number | undefined {
  if (!(error instanceof SurveyApiError) || !error.retryable) return undefined;
  const code = error.code as FailureCode;
  if (attempt >= (policy.operations[error.operation]?.[code] ?? policy.attempts[code] ?? 1)) return undefined;
  // The limiter makes all requests wait, this one among them.
  const asked = error.retryAfter;
  if (asked !== undefined && asked > policy.longestPause) return undefined;
  if (error instanceof TooManyRequestsError) return 0;
  const usual = Math.min(policy.maxDelay, policy.baseDelay * 2 ** (attempt - 1)) * (0.5 + random / 2);
  return Math.max(usual, asked ?? 0);
}

/** Milliseconds in a Retry-After header, given as seconds or as an HTTP date; undefined when it cannot be read. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Only what is a date by its form: `Date.parse` makes one of "5, 5" too.
  const at = /^[A-Z][a-z]{2,8},? |^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
