import { type ReadBody, readJson, untyped } from "../bodies/read-body.ts";
import { ServerError, WrongTokenError } from "../errors.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../http/transport.ts";
import { type DataOperation, type ParametersOf, pathOf } from "../paths.ts";
import type { Turn } from "../rate/limiter.ts";
import { whenAborted } from "../when-aborted.ts";
import type { Tokens } from "./tokens.ts";

export interface DataRequest<T> {
  operation: DataOperation;
  parameters: ParametersOf<DataOperation>;
  priority: Turn["priority"];
  signal: AbortSignal | undefined;
  /** Reads the JSON of an answer with status 200; what it throws as retryable is met with another attempt. */
  readBody: ReadBody<T>;
}

/** Sends data requests with the token, and finds out what a refusal means. */
export type Authorized = <T>(request: DataRequest<T>) => Promise<HttpAnswer<T>>;

/** 400 is the documented answer to a wrong token; 401 is listed for wrong credentials only, and met the same way. */
const refused = (answer: HttpAnswer<unknown>): boolean => answer.status === 400 || answer.status === 401;

/**
 * A 400 may be a wrong token or a bad request, and a bad request may be the end of a list. So a bad request is told only where the survey
 * list has shown, between two refusals, that the same token is good. A token that is not good is given up for the newest there is, as often
 * as there is another one. Two that were asked for here and never accepted for anything tell that the token is not the matter.
 */
export function createAuthorized(transport: Transport, tokens: Tokens): Authorized {
  /** Gives the answer, and the token that it was given for. */
  async function send<T>(request: DataRequest<T>, tokenNow: () => string) {
    let token = "";
    // At the moment when it goes out: while it waited for its turn, another token may have come, or the credentials been refused.
    const headers = (): Record<string, string> => {
      tokens.checkCredentials();
      token = tokenNow();
      return { authorization: `bearer ${token}`, "content-type": "application/json" };
    };
    const read: HttpRequest<T>["read"] = (text, about) => request.readBody(readJson(text, about), about);
    const path = pathOf(request.operation, request.parameters);
    const answer = await transport.send({ ...request, path, method: "GET", headers, read });
    if (answer.status < 300) tokens.accepted(token);
    return { answer, token };
  }

  /** Those that are under way. */
  const probes = new Map<string, Promise<boolean>>();

  /** Whether `token` opens the survey list: nothing but a list says so. */
  async function probe(token: string): Promise<boolean> {
    const operation = "get survey list";
    const request: DataRequest<unknown> = {
      operation,
      parameters: {},
      priority: "first",
      signal: undefined,
      readBody: untyped(operation, {}),
    };
    const { answer } = await send(request, () => token);
    if (answer.status !== 404) return !refused(answer);
    throw new ServerError("there is no survey list (404) to tell a wrong token from a bad request", {
      operation,
      status: 404,
      attempts: answer.attempts,
      retryable: true,
      hint: "Check `baseUrl`; the service may be about to be changed.",
    });
  }

  /** A probe sent before a refusal says nothing about it: who comes while one is under way waits for its end, and shares the next. */
  async function accepted(token: string): Promise<boolean> {
    await probes.get(token)?.catch(() => undefined);
    const sent = probes.get(token) ?? probe(token).finally(() => probes.delete(token));
    probes.set(token, sent);
    return sent;
  }

  return async (request) => {
    const wait = <V>(work: Promise<V>): Promise<V> => unlessAborted(work, request.signal);
    const isGood = async (token: string): Promise<boolean> =>
      request.operation !== "get survey list" && (await wait(accepted(token)));
    let next = await wait(tokens.current());
    /** The one that has opened the list since it was refused here. */
    let good: string | undefined;
    let inVain = 0;
    for (;;) {
      const { answer, token } = await send(request, () => tokens.latest() ?? next);
      // Whether a good one was known to the service before, the same request has told.
      if (!refused(answer) || token === good) return answer;
      const newer = await wait(tokens.reread(token));
      if (newer !== undefined) next = newer;
      else if (await isGood(token)) good = token;
      else {
        if (tokens.neverAccepted(token)) inVain += 1;
        if (inVain === 2) {
          throw new WrongTokenError(`it is refused (${answer.status}) with a new token too`, {
            operation: request.operation,
            status: answer.status,
            hint: "Check that the credentials belong to an account with API access, and that no other client renews its token.",
          });
        }
        next = await wait(tokens.renew(token));
      }
    }
  };
}

/** Work that is shared with other callers: it goes on when one of them does not wait for it any more. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(whenAborted(signal, stop));
  });
}
