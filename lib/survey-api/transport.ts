import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import pLimit from "p-limit";
import { Agent, request, errors as undiciErrors } from "undici";
import { requestChannel } from "./diagnostics.ts";
import { NetworkError, ServerError, TimeoutError, TooManyRequestsError, UnreadableBodyError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import { LONGEST_WAIT, nextDelay, parseRetryAfter } from "./retry-policy.ts";

/** No documented body comes near: 100 records of 1 MB each. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const USER_AGENT = "survey-poller";

export interface TransportOptions {
  /** Scheme and host of the service; a path is kept as prefix. */
  baseUrl: string;
  /** Milliseconds. */
  timeouts: { connect: number; response: number };
  /** Most requests in flight. */
  concurrency: number;
  now: () => number;
  /** Milliseconds of a clock that is never set. */
  monotonic: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
}

export interface HttpRequest {
  operation: Operation;
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Statuses below 500 other than 429; the others are thrown. `body` is the decoded text. */
export interface HttpAnswer {
  status: number;
  body: string;
  attempts: number;
}

interface Failure {
  error: unknown;
  /** Undefined when the failure stands. */
  delay: number | undefined;
}

export interface Transport {
  /** Makes a request, again where the retry policy says so. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** HTTP with time limits, retries and one pause for all requests after a 429. Redirects are not followed. */
export function createTransport(options: TransportOptions): Transport {
  const base = options.baseUrl.replace(/\/+$/, "");
  const agent = new Agent({
    connections: options.concurrency,
    pipelining: 1,
    connect: { timeout: options.timeouts.connect },
    headersTimeout: options.timeouts.response,
    bodyTimeout: options.timeouts.response,
    keepAliveTimeout: 4_000,
  });
  // Waiting for a free connection happens here, so that no time limit runs meanwhile.
  const limit = pLimit(options.concurrency);
  /** On the monotonic clock: a wall clock that is set back must not prolong a pause. */
  let pausedUntil = 0;

  /** Waits until the service's pause is over; one that is longer than a tick can wait fails at once, without a request. */
  async function waitForPause(call: HttpRequest, attempt: number): Promise<void> {
    const pause = pausedUntil - options.monotonic();
    if (pause > LONGEST_WAIT) {
      throw new TooManyRequestsError("the service asked for a pause that is not over", {
        operation: call.operation,
        attempts: attempt - 1,
        retryAfter: pause,
        hint: "It is asked again when the pause is over.",
      });
    }
    if (pause > 0) await options.sleep(pause, call.signal);
  }

  async function once(call: HttpRequest, attempt: number): Promise<HttpAnswer> {
    const started = options.now();
    let status: number | undefined;
    try {
      const answer = await request(base + call.path, {
        dispatcher: agent,
        method: call.method,
        headers: {
          accept: "application/json",
          "accept-encoding": "gzip, br",
          "user-agent": USER_AGENT,
          ...call.headers,
        },
        // Each phase has its own limit; this one ends an answer that trickles for ever.
        signal: signalFor(call.signal, options.timeouts.connect + 2 * options.timeouts.response),
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      status = answer.statusCode;
      const body = await readBody(answer.body, header(answer.headers["content-encoding"]), call.operation);
      if (status === 429) {
        const retryAfter = parseRetryAfter(header(answer.headers["retry-after"]), options.now());
        throw new TooManyRequestsError("too many requests (429)", {
          operation: call.operation,
          status,
          attempts: attempt,
          hint: "The service limits the rate: lower `concurrency`, or wait.",
          ...(retryAfter === undefined ? {} : { retryAfter }),
        });
      }
      if (status >= 500 || (status >= 300 && ![400, 401, 404].includes(status))) {
        throw new ServerError(`the service answered ${status}`, {
          operation: call.operation,
          status,
          attempts: attempt,
          retryable: status >= 500,
          hint:
            status >= 500
              ? "The service has a fault of its own: it is asked again at the next tick."
              : "Not a documented answer: check `baseUrl`.",
        });
      }
      return { status, body, attempts: attempt };
    } catch (error) {
      throw translate(error, call, attempt);
    } finally {
      if (requestChannel.hasSubscribers) {
        requestChannel.publish({ operation: call.operation, status, duration: options.now() - started, attempt });
      }
    }
  }

  /** The answer, or the failure with the milliseconds to wait before another attempt. */
  async function attemptOnce(call: HttpRequest, attempt: number): Promise<HttpAnswer | Failure> {
    try {
      // Just before it is sent: a pause may have begun while it was queued.
      await waitForPause(call, attempt);
      return await once(call, attempt);
    } catch (error) {
      const delay = nextDelay(error, attempt, options.random());
      if (!(error instanceof TooManyRequestsError)) return { error, delay };
      // Before this place is free for the next: the pause is for all, also when this one gives up.
      pausedUntil = Math.max(pausedUntil, options.monotonic() + (delay ?? error.retryAfter ?? 0));
      return { error, delay: delay === undefined ? undefined : 0 };
    }
  }

  return {
    async send(call) {
      for (let attempt = 1; ; attempt += 1) {
        call.signal?.throwIfAborted();
        const outcome = await limit(attemptOnce, call, attempt);
        if ("status" in outcome) return outcome;
        if (outcome.delay === undefined) throw outcome.error;
        if (outcome.delay > 0) await options.sleep(outcome.delay, call.signal);
      }
    },
    close: () => agent.close(),
  };
}

function signalFor(signal: AbortSignal | undefined, wholeCall: number): AbortSignal {
  const limit = AbortSignal.timeout(wholeCall);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const decoders: Record<string, (data: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

async function readBody(
  body: AsyncIterable<Buffer>,
  encoding: string | undefined,
  operation: Operation,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new UnreadableBodyError("the body is larger than 128 MB", { operation, hint: "Check `baseUrl`." });
    }
    chunks.push(chunk);
  }
  const data = Buffer.concat(chunks);
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return data.toString("utf8");
  const decode = decoders[name];
  try {
    if (decode === undefined) throw new Error("unknown content encoding");
    return (await decode(data, { maxOutputLength: MAX_BODY_BYTES })).toString("utf8");
  } catch (cause) {
    throw new UnreadableBodyError("the body cannot be decompressed", { operation, cause, retryable: true });
  }
}

function translate(error: unknown, call: HttpRequest, attempts: number): unknown {
  if (error instanceof Error && "operation" in error) return error;
  if (call.signal?.aborted) return error;
  const about = { operation: call.operation, attempts, cause: error, retryable: true };
  const timedOut =
    error instanceof undiciErrors.ConnectTimeoutError ||
    error instanceof undiciErrors.HeadersTimeoutError ||
    error instanceof undiciErrors.BodyTimeoutError ||
    (error instanceof Error && error.name === "TimeoutError");
  if (timedOut) {
    return new TimeoutError("no whole answer in time", {
      ...about,
      hint: "Is the service up, and `baseUrl` right? Otherwise raise `timeouts`.",
    });
  }
  // Codes such as ECONNREFUSED say what happened and hold no data; messages may hold an address, which is the user's own.
  const reason = (error as { code?: unknown } | null)?.code;
  return new NetworkError(`the service cannot be reached${typeof reason === "string" ? ` (${reason})` : ""}`, {
    ...about,
    hint: "Check `baseUrl`, the network and that the service is up.",
  });
}
