import { WrongTokenError } from "./errors.ts";
import type { Priority } from "./limiter.ts";
import { type DataOperation, operations } from "./operations.ts";
import type { Tokens } from "./tokens.ts";
import type { HttpAnswer, HttpRequest, Transport } from "./transport.ts";

export interface DataRequest<T> {
  operation: DataOperation;
  path: string;
  priority: Priority;
  signal: AbortSignal | undefined;
  read: HttpRequest<T>["read"];
}

/** Sends data requests with the token, and finds out what a refusal means. */
export type Authorized = <T>(request: DataRequest<T>) => Promise<HttpAnswer<T>>;

const LIST = operations["get survey list"].path();

/** 400 is the documented answer to a wrong token; 401 is listed for wrong credentials only, and met the same way. */
const refused = (answer: HttpAnswer<unknown>): boolean => answer.status === 400 || answer.status === 401;

/**
 * A 400 may be a wrong token or a bad request. A token that someone else has renewed meanwhile is tried first; then the survey list
 * tells whether the token is good; and only if it is not, another token is asked for, once.
 */
export function createAuthorized(transport: Transport, tokens: Tokens): Authorized {
  function send<T>(request: DataRequest<T>, token: string): Promise<HttpAnswer<T>> {
    const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
    return transport.send({ ...request, method: "GET", headers });
  }

  const probes = new Map<string, { sent: Promise<boolean>; next: Promise<boolean> | undefined }>();

  /** Whether `token` opens the survey list. */
  function probe(token: string): Promise<boolean> {
    const operation = "get survey list";
    const request: DataRequest<undefined> = {
      operation,
      path: LIST,
      priority: "news",
      signal: undefined,
      read: () => undefined,
    };
    return send(request, token).then((answer) => !refused(answer));
  }

  /**
   * A probe sent before a refusal says nothing about it: who comes while one is under way shares the one after it. So any
   * number of callers costs two.
   */
  function accepted(token: string): Promise<boolean> {
    const running = probes.get(token);
    if (running === undefined) {
      const sent = probe(token).finally(() => {
        if (probes.get(token)?.next === undefined) probes.delete(token);
      });
      probes.set(token, { sent, next: undefined });
      return sent;
    }
    running.next ??= running.sent
      .catch(() => undefined)
      .then(() => {
        probes.delete(token);
        return accepted(token);
      });
    return running.next;
  }

  return async (request) => {
    const wait = <V>(work: Promise<V>): Promise<V> => unlessAborted(work, request.signal);
    let token = await wait(tokens.current());
    let answer = await send(request, token);
    if (!refused(answer)) return answer;
    const stored = await wait(tokens.reread(token));
    if (stored !== undefined) {
      token = stored;
      answer = await send(request, token);
      if (!refused(answer)) return answer;
    }
    const isList = request.path === LIST;
    if (!isList && (await wait(accepted(token)))) return answer;
    answer = await send(request, await wait(tokens.renew(token)));
    if (refused(answer) && isList) {
      throw new WrongTokenError(`the survey list is refused (${answer.status}) with a new token too`, {
        operation: request.operation,
        status: answer.status,
        hint: "Check that the credentials belong to an account with API access.",
      });
    }
    return answer;
  };
}

/** What is shared with other callers goes on when one of them does not wait for it any more. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
