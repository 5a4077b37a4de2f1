import { setTimeout as sleepFor } from "node:timers/promises";
import {
  BadRequestError,
  NotAllowedError,
  NotFoundError,
  ServerError,
  UnreadableBodyError,
  WrongCredentialsError,
  WrongTokenError,
} from "./errors.ts";
import { type Operation, type Order, paths } from "./operations.ts";
import { nextDelay } from "./retry-policy.ts";
import { readTokenBody } from "./token-body.ts";
import { createTokens, type TokenStore } from "./tokens.ts";
import { createTransport, type HttpAnswer } from "./transport.ts";

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export interface SurveyApiOptions {
  /** Scheme and host of the service. */
  baseUrl: string;
  /** Read only when a token must be asked for. */
  credentials: () => Promise<Credentials>;
  tokenStore: TokenStore;
  /** Milliseconds; 5 s to connect and 30 s for an answer when left out. */
  timeouts?: { connect: number; response: number };
  /** Most requests in flight, 16 when left out. */
  concurrency?: number;
  now?: () => number;
  monotonic?: () => number;
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random?: () => number;
}

/** Each function gives the JSON as it was read, and throws a `SurveyApiError`. */
export interface SurveyApi {
  /** Operation 2: all surveys of the account. */
  surveys(signal?: AbortSignal): Promise<unknown[]>;
  /** Operation 8: at most 100 response records; pages count from 1. */
  responsePage(surveyId: number, page: number, order: Order, signal?: AbortSignal): Promise<unknown[]>;
  /** Operation 9: one response; its shape is not shown. */
  response(surveyId: number, responseId: number, signal?: AbortSignal): Promise<unknown>;
  /** Operation 11: an array with one object of metrics by key. */
  metrics(surveyId: number, responseId: number, signal?: AbortSignal): Promise<unknown>;
  /** Operation 13: an array of metadata. */
  metadata(surveyId: number, responseId: number, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export function createSurveyApi(options: SurveyApiOptions): SurveyApi {
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal }));
  const transport = createTransport({
    baseUrl: options.baseUrl,
    timeouts: options.timeouts ?? { connect: 5_000, response: 30_000 },
    concurrency: options.concurrency ?? 16,
    now,
    monotonic: options.monotonic ?? (() => performance.now()),
    sleep,
    random,
  });

  async function requestToken(): Promise<string> {
    const { clientId, clientSecret } = await options.credentials();
    const operation = "get token";
    const answer = await transport.send({
      operation,
      method: "POST",
      path: paths.token,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ clientId, clientSecret }).toString(),
    });
    const about = { operation, status: answer.status, attempts: answer.attempts } as const;
    if (answer.status === 401) {
      throw new WrongCredentialsError("the service refused the client id or the client secret (401)", {
        ...about,
        hint: "Put the right clientId and clientSecret into the credentials.",
      });
    }
    if (answer.status === 400)
      throw new BadRequestError("the token request was refused (400)", {
        ...about,
        hint: "Check `baseUrl` and the credentials.",
      });
    if (answer.status === 404)
      throw new NotFoundError("there is no token endpoint (404)", { ...about, hint: "Check `baseUrl`." });
    const token = readTokenBody(answer.body);
    if (token === undefined) {
      throw new UnreadableBodyError("no token can be found in the answer", {
        ...about,
        hint: "Check `baseUrl`: is it the survey service?",
      });
    }
    return token;
  }

  const tokens = createTokens({ store: options.tokenStore, request: requestToken, now });

  function send(
    operation: Operation,
    path: string,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
    return transport.send({ operation, method: "GET", path, headers, ...(signal === undefined ? {} : { signal }) });
  }

  /** Whether `token` still opens the survey list, which tells a wrong token from a bad request. */
  async function accepted(token: string, signal: AbortSignal | undefined): Promise<boolean> {
    return !refused(await send("get survey list", paths.surveys, token, signal));
  }

  /** 400 is the documented answer to a wrong token; 401 is listed for wrong credentials only, and met the same way. */
  const refused = (answer: HttpAnswer): boolean => answer.status === 400 || answer.status === 401;

  /** A 400 may be a wrong token or a bad request: another token is tried, and asked for at most once. */
  async function authorized(operation: Operation, path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    let token = await tokens.current();
    let answer = await send(operation, path, token, signal);
    if (!refused(answer)) return answer;
    const stored = await tokens.reread(token);
    if (stored !== undefined) {
      token = stored;
      answer = await send(operation, path, token, signal);
      if (!refused(answer)) return answer;
    }
    const isList = path === paths.surveys;
    if (!isList && (await accepted(token, signal))) return answer;
    answer = await send(operation, path, await tokens.renew(token), signal);
    if (refused(answer) && isList) {
      throw new WrongTokenError(`the survey list is refused (${answer.status}) with a new token too`, {
        operation,
        status: answer.status,
        hint: "Check that the credentials belong to an account with API access.",
      });
    }
    return answer;
  }

  async function read(operation: Operation, path: string, signal: AbortSignal | undefined): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await authorized(operation, path, signal);
      const about = { operation, status: answer.status, attempts: answer.attempts };
      if (answer.status === 404) throw new NotFoundError("not found (404)", about);
      if (answer.status === 400) throw new BadRequestError("bad request (400)", about);
      if (answer.status === 401) {
        const hint = "Ask the service's operator what this account may read.";
        throw new NotAllowedError("the service does not let this account read it (401)", { ...about, hint });
      }
      if (answer.status >= 300) throw new ServerError(`the service answered ${answer.status}`, about);
      try {
        return JSON.parse(answer.body.replace(/^\uFEFF/, ""));
      } catch {
        // The parser's own message quotes the body, which may hold personal data: it is left behind.
        const error = new UnreadableBodyError("the answer is not JSON", {
          ...about,
          attempts: attempt,
          retryable: true,
          hint: "A proxy or a maintenance page may stand before the service; check `baseUrl`.",
        });
        const delay = nextDelay(error, attempt, random());
        if (delay === undefined) throw error;
        await sleep(delay, signal);
      }
    }
  }

  async function readArray(operation: Operation, path: string, signal: AbortSignal | undefined): Promise<unknown[]> {
    const body = await read(operation, path, signal);
    if (Array.isArray(body)) return body;
    if (body === null) return [];
    // Some languages write an array whose indexes have gaps as an object.
    if (typeof body === "object" && Object.keys(body).every((key) => /^\d+$/.test(key))) return Object.values(body);
    throw new UnreadableBodyError("the answer is not an array", {
      operation,
      status: 200,
      hint: "Check `baseUrl`: is it the survey service?",
    });
  }

  return {
    surveys: (signal) => readArray("get survey list", paths.surveys, signal),
    responsePage: (surveyId, page, order, signal) =>
      readArray("get survey responses", paths.responses(surveyId, page, order), signal),
    response: (surveyId, responseId, signal) =>
      read("get survey response", paths.response(surveyId, responseId), signal),
    metrics: (surveyId, responseId, signal) => read("get metrics", paths.metrics(surveyId, responseId), signal),
    metadata: (surveyId, responseId, signal) => read("get metadata", paths.metadata(surveyId, responseId), signal),
    close: () => transport.close(),
  };
}
