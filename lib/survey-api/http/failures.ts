import { errors as undiciErrors } from "undici";
import {
  type About,
  NetworkError,
  ServerError,
  SurveyApiError,
  TimeoutError,
  TooManyRequestsError,
  UnreadableBodyError,
} from "../errors.ts";
import type { Operation } from "../operations.ts";
import type { LongPause } from "../rate/limiter.ts";
import { BrokenEncoding, LongBody, type RawAnswer, SlowAnswer, single } from "./exchange.ts";
import { parseRetryAfter } from "./retry-policy.ts";

// From what happened on the wire to the errors of the client.

/** Milliseconds for which the service asked to be left alone. A date is compared with the service's own, where it tells it. */
function retryAfterOf({ headers }: RawAnswer, now: number): { retryAfter?: number } {
  const served = Date.parse(single(headers.date) ?? "");
  const retryAfter = parseRetryAfter(single(headers["retry-after"]), Number.isNaN(served) ? now : served);
  return retryAfter === undefined ? {} : { retryAfter };
}

export function tooMany(answer: RawAnswer, about: About, now: number): TooManyRequestsError {
  return new TooManyRequestsError("too many requests (429)", {
    ...about,
    status: 429,
    hint: "The service limits the rate: lower `concurrency`, or set `maxRequestsPerSecond`.",
    ...retryAfterOf(answer, now),
  });
}

export function paused({ milliseconds }: LongPause, { operation }: { operation: Operation }, attempt: number): Error {
  return new TooManyRequestsError("the service asked for a pause that is not over", {
    operation,
    attempts: attempt - 1,
    retryAfter: milliseconds,
    hint: "It is asked again when the pause is over.",
  });
}

/** Where to go on within the service. */
export interface Redirect {
  path: string;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * The path of a redirect to the same thing at another place of the service, which is followed. Nothing is sent to any other host, the token
 * least of all. A page of responses that leads to something else, such as a start page, must not be taken for an empty page.
 */
export function redirectWithin(
  { status, headers }: RawAnswer,
  call: { method: string; path: string },
  base: URL,
  path: string,
): Redirect | undefined {
  const location = single(headers.location);
  if (location === undefined || call.method !== "GET" || !REDIRECTS.includes(status)) return undefined;
  if (!URL.canParse(location, base.origin + path)) return undefined;
  const target = new URL(location, base.origin + path);
  if (target.origin !== base.origin || !bare(target.pathname).endsWith(bare(call.path))) return undefined;
  return { path: target.pathname + target.search };
}

const bare = (path: string): string => path.replace(/\/+$/, "");

/** The client was closed before or while the call waited. */
export function closedClient(operation: Operation, attempts: number): NetworkError {
  return new NetworkError("the client is closed", { operation, attempts, hint: "Make another one." });
}

export function outOfTime(operation: Operation, attempts: number): TimeoutError {
  const hint = "Raise `timeouts.call`, or ask for less at a time.";
  return new TimeoutError("no time is left for the call", { operation, attempts, retryable: true, hint });
}

export function unexpected(answer: RawAnswer, about: About, base: URL, now: number): never {
  const { status, headers } = answer;
  // A server gives up a connection that was idle for too long with a 408 that nobody asked for.
  const passes = status >= 500 || status === 408;
  const location = single(headers.location) ?? "";
  const target = REDIRECTS.includes(status) && URL.canParse(location, base.origin) && new URL(location, base.origin);
  const isElsewhere = target && /^https?:$/.test(target.protocol) && target.origin !== base.origin;
  const elsewhere = isElsewhere ? target.origin : undefined;
  throw new ServerError(`the service answered ${status}`, {
    ...about,
    status,
    retryable: passes,
    ...(status === 503 ? retryAfterOf(answer, now) : {}),
    hint: passes
      ? "The service has a fault of its own: try again later."
      : elsewhere !== undefined
        ? `It redirects to ${elsewhere}, where nothing was sent: if the service is there, put that into \`baseUrl\`.`
        : "Not a documented answer: check `baseUrl`.",
  });
}

export function redirectedTooOften(operation: Operation, attempts: number): ServerError {
  return new ServerError("the service redirects again and again", { operation, attempts, hint: "Check `baseUrl`." });
}

export function translate(error: unknown, call: { signal: AbortSignal | undefined }, about: About): unknown {
  if (error instanceof SurveyApiError) return error;
  // Whatever broke first: the caller's own reason.
  if (call.signal?.aborted) return call.signal.reason;
  if (error instanceof LongBody) {
    const { status, limit } = error;
    return new UnreadableBodyError(`the body is longer than ${limit}`, {
      ...about,
      status,
      hint: "Check `baseUrl`.",
    });
  }
  if (error instanceof BrokenEncoding) {
    const { status } = error;
    const hint = "A proxy may spoil it on the way; check `baseUrl`.";
    return new UnreadableBodyError("the body cannot be decompressed", { ...about, status, retryable: true, hint });
  }
  // undici's parser keeps what it could not read, which may be a part of the body: of that error the code is enough.
  const cause = error instanceof undiciErrors.HTTPParserError ? undefined : error;
  const passing = { ...about, cause, retryable: true };
  const timedOut =
    error instanceof SlowAnswer ||
    error instanceof undiciErrors.ConnectTimeoutError ||
    error instanceof undiciErrors.HeadersTimeoutError ||
    error instanceof undiciErrors.BodyTimeoutError;
  if (timedOut) {
    const hint = "Is the service up, and `baseUrl` right? Otherwise raise `timeouts`.";
    return new TimeoutError("no whole answer in time", { ...passing, hint });
  }
  // Codes such as ECONNREFUSED say what happened and hold no data; messages may hold an address, which is the user's own.
  const reason = (error as { code?: unknown } | null)?.code;
  return new NetworkError(`the service cannot be reached${typeof reason === "string" ? ` (${reason})` : ""}`, {
    ...passing,
    hint: "Check `baseUrl`, the network and that the service is up.",
  });
}
