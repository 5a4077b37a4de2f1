import { baseUrlProblem, isLoopback, normalBaseUrl } from "./base-url.ts";
import type { Coordination } from "./coordination.ts";
import { OptionsError } from "./errors.ts";
import { type RetryOptions, retryPolicy } from "./http/retry-policy.ts";
import type { CheckedOptions, Timeouts } from "./http/transport.ts";
import type { LearnedRate } from "./rate/allowed-rate.ts";
import type { Credentials } from "./token/token-request.ts";
import type { TokenStore } from "./token/tokens.ts";

/** How a client of the survey service is made. Only `baseUrl` and `credentials` have no default. */
export interface SurveyApiOptions {
  /** Scheme and host of the service, and a path before `/api` if it has one. https; plain http for a loopback address only. */
  baseUrl: string;
  /** The credentials, or where to read them; read only when a token must be asked for. */
  credentials: Credentials | (() => Promise<Credentials>);
  /** Keeps the token between runs; without one each client asks for a token of its own. */
  tokenStore?: TokenStore;
  /** Milliseconds. Default `{ connect: 5_000, headers: 30_000, body: 30_000, call: 120_000 }`. */
  timeouts?: Partial<Timeouts>;
  /** Makes clients in several processes appear to the service as one. By default a client knows of no other. */
  coordination?: Coordination;
  /** Most requests in flight. Default 16. */
  concurrency?: number;
  /** Most requests a second. No limit by default; in any case the rate that the service allows is learned from its answers. */
  maxRequestsPerSecond?: number;
  /** Which failure is met with how many attempts; what is left out is as in `defaultRetryPolicy`. */
  retry?: RetryOptions;
  /** URL of an HTTP proxy, with its credentials if it needs some. Everything goes through a tunnel (CONNECT). None by default, whatever the environment says. */
  proxy?: string;
  /** Longest body that is read, as it comes and decompressed; the survey list may be 8 times as long. Bytes, default 8 MiB. */
  maxBodyBytes?: number;
  /**
   * Whether a field that is not as documented is an `UnreadableBodyError`. By default it is passed on as it was read. What identifies an
   * element has to be readable in any case.
   */
  strict?: boolean;
  /** Epoch milliseconds; for tests, as are the three below. */
  now?: () => number;
  /** Milliseconds of a clock that is never set. */
  monotonic?: () => number;
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  random?: () => number;
}

/** @throws OptionsError that names every option that cannot work; no value is repeated, since some are secret */
export function checkOptions(options: SurveyApiOptions): CheckedOptions {
  const { baseUrl, credentials, maxRequestsPerSecond, proxy, concurrency = 16 } = options;
  const timeouts = { connect: 5_000, headers: 30_000, body: 30_000, call: 120_000, ...options.timeouts };
  const maxBodyBytes = options.maxBodyBytes ?? 8 * 1024 * 1024;
  const retry = retryPolicy(options.retry);
  const problems: string[] = [];
  const want = (isRight: boolean, problem: string): void => void (isRight || problems.push(problem));
  const wantAll = (prefix: string, values: object, isRight: (value: number) => boolean, must: string): void => {
    for (const [name, value] of Object.entries(values))
      want(typeof value === "number" && isRight(value), `${prefix}${name} must be ${must}`);
  };

  const wrong = baseUrlProblem(typeof baseUrl === "string" ? baseUrl : "");
  want(wrong === undefined, `baseUrl ${wrong}`);
  want(
    hasCredentials(credentials),
    "credentials must be an object with the texts clientId and clientSecret, or a function that gives one",
  );
  wantAll("timeouts.", timeouts, (value) => value > 0 && value <= LONGEST_TIMER, "1 to 2147483647");
  wantAll("", { maxRequestsPerSecond: maxRequestsPerSecond ?? 1 }, (value) => value > 0, "more than 0");
  wantAll("", { maxBodyBytes }, (value) => isCount(value) && value <= MOST_BYTES, "1 to 32 MiB");
  wantAll("", { concurrency }, isCount, COUNT);
  const { attempts, operations, ...delays } = retry;
  wantAll("retry.attempts.", attempts, isCount, COUNT);
  for (const [operation, given] of Object.entries(operations))
    wantAll(`retry.operations["${operation}"].`, given ?? {}, isCount, COUNT);
  wantAll("retry.", delays, (value) => value >= 0 && value <= LONGEST_TIMER, "0 to 2147483647");
  want(proxy === undefined || isProxyUrl(proxy), "proxy must be a URL such as http://proxy.example.com:3128");
  want(!showsToken(baseUrl, proxy), "proxy must be on this machine, or baseUrl https: it would see the token");
  if (problems.length > 0)
    throw new OptionsError(problems.join("; "), { hint: "Correct the options of createSurveyApi." });
  return { baseUrl: normalBaseUrl(baseUrl), timeouts, concurrency, maxBodyBytes, retry, maxRequestsPerSecond, proxy };
}

/** Milliseconds; a timer that is set for longer goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Eight times as much is still a string. */
const MOST_BYTES = 32 * 1024 * 1024;
const COUNT = "a whole number, 1 or more";
const isCount = (value: number): boolean => Number.isInteger(value) && value > 0;

function hasCredentials(credentials: unknown): boolean {
  if (typeof credentials === "function") return true;
  const { clientId, clientSecret } = (credentials ?? {}) as { clientId?: unknown; clientSecret?: unknown };
  return [clientId, clientSecret].every((text) => typeof text === "string" && text !== "");
}

function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  // Percent signs that stand for nothing would throw where the credentials are decoded.
  return /^https?:$/.test(protocol) && [username, password].every((part) => /^([^%]|%[\da-f]{2})*$/i.test(part));
}

/** Plain http is for a service on the same machine: through a proxy elsewhere it would leave that. */
function showsToken(baseUrl: string, proxy: string | undefined): boolean {
  if (proxy === undefined || !URL.canParse(proxy) || !URL.canParse(baseUrl)) return false;
  return new URL(baseUrl).protocol === "http:" && !isLoopback(new URL(proxy).hostname);
}

/** Whether it can be what some client has learned: kept between runs by someone else, perhaps in another version. */
export function isLearned(learned: unknown): learned is LearnedRate {
  const { requestsPerSecond, at } = (learned ?? {}) as Partial<LearnedRate>;
  return [requestsPerSecond, at].every((value) => typeof value === "number" && Number.isFinite(value) && value > 0);
}
