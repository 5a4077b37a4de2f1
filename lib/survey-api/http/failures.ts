import { errors as undiciErrors } from "undici";
import {
  type About,
  NetworkError,
  ServerError,
  SurveyApiError,
  TimeoutError,
  TooManyRequestsError,
} from "../errors.ts";
import { type RawAnswer, SlowAnswer, single } from "./exchange.ts";
import { parseRetryAfter } from "./retry-policy.ts";

// From what happened on the wire to the errors of the client.

/** Milliseconds for which the service asked to be left alone. A date is compared with the service's own, where it tells it. */
function retryAfterOf({ headers }: RawAnswer, now: number): number | undefined {
  const served = Date.parse(single(headers.date) ?? "");
  return parseRetryAfter(single(headers["retry-after"]), Number.isNaN(served) ? now : served);
}

export function tooMany(answer: RawAnswer, about: About, now: number): TooManyRequestsError {
  return new TooManyRequestsError("too many requests (429)", {
    ...about,
    status: 429,
    hint: "The service limits the rate: lower `concurrency`, or set `maxRequestsPerSecond`.",
    retryAfter: retryAfterOf(answer, now),
  });
}

const REDIRECTS = [301, 302, 303, 307, 308];
const bare = (path: string): string => path.replace(/\/+$/, "");

function targetOf({ status, headers }: RawAnswer, from: string): URL | undefined {
  const location = single(headers.location) ?? "";
  const isRedirect = REDIRECTS.includes(status) && location !== "" && URL.canParse(location, from);
  return isRedirect ? new URL(location, from) : undefined;
}

/**
 * The path of a redirect to the same thing at another place of the service, which is followed. Nothing is sent to any other host, the token
 * least of all. A page of responses that leads to something else, such as a start page, must not be taken for an empty page.
 */
export function redirectWithin(
  answer: RawAnswer,
  call: { method: string; path: string },
  base: URL,
  path: string,
): string | undefined {
  const target = call.method === "GET" ? targetOf(answer, base.origin + path) : undefined;
  if (target?.origin !== base.origin || !bare(target.pathname).endsWith(bare(call.path))) return undefined;
  return target.pathname + target.search;
}

export function unexpected(answer: RawAnswer, about: About, base: URL, now: number): never {
  const { status } = answer;
  // A server gives up a connection that was idle for too long with a 408 that nobody asked for.
  const retryable = status >= 500 || status === 408;
  const target = targetOf(answer, base.origin);
  const isElsewhere = target !== undefined && /^https?:$/.test(target.protocol) && target.origin !== base.origin;
  const hint = isElsewhere
    ? `It redirects to ${target.origin}, where nothing was sent: if the service is there, put that into \`baseUrl\`.`
    : "Not a documented answer: check `baseUrl`.";
  throw new ServerError(`the service answered ${status}`, {
    ...about,
    status,
    retryable,
    retryAfter: status === 503 ? retryAfterOf(answer, now) : undefined,
    hint: retryable ? "The service has a fault of its own: try again later." : hint,
  });
}

const { ConnectTimeoutError, HeadersTimeoutError, BodyTimeoutError, HTTPParserError } = undiciErrors;
/** The ones of undici are for the connection, or for the tunnel through a proxy. */
const TIMEOUTS = [SlowAnswer, ConnectTimeoutError, HeadersTimeoutError, BodyTimeoutError];

export function translate(error: unknown, call: { signal: AbortSignal | undefined }, about: About): unknown {
  if (error instanceof SurveyApiError) return error;
  if (call.signal?.aborted) return call.signal.reason;
  // undici's parser keeps what it could not read, which may be a part of the body: of that error the code is enough.
  const cause = error instanceof HTTPParserError ? undefined : error;
  const passing = { ...about, cause, retryable: true };
  if (TIMEOUTS.some((kind) => error instanceof kind)) {
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
