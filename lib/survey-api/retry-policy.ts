import { SurveyApiError, TooManyRequestsError } from "./errors.ts";

/** How often a failure is met with another attempt, the first request included. */
const attemptsByCode: Record<string, number> = {
  SERVER_ERROR: 4,
  // A frozen and thawed function finds its keep-alive sockets closed by the server: the second attempt is on a new one.
  UNREACHABLE: 4,
  TIMEOUT: 2,
  UNREADABLE_BODY: 3,
  // Requests that were refused together come back together: some meet several refusals in a row.
  TOO_MANY_REQUESTS: 10,
};

const BASE_DELAY = 250;
const MAX_DELAY = 8_000;
/** A longer Retry-After ends the tick instead of keeping a paid function asleep. */
export const LONGEST_WAIT = 20_000;

/** Milliseconds to wait before the next attempt; undefined when the failure stands. `random` is in [0, 1). */
export function nextDelay(error: unknown, attempt: number, random: number): number | undefined {
  if (!(error instanceof SurveyApiError) || !error.retryable) return undefined;
  if (attempt >= (attemptsByCode[error.code] ?? 1)) return undefined;
  const backOff = Math.min(MAX_DELAY, BASE_DELAY * 2 ** (attempt - 1)) * (0.5 + random / 2);
  if (error instanceof TooManyRequestsError && error.retryAfter !== undefined) {
    return error.retryAfter > LONGEST_WAIT ? undefined : Math.max(error.retryAfter, backOff);
  }
  return backOff;
}

/** Milliseconds in a Retry-After header, given as seconds or as an HTTP date; undefined when it cannot be read. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
