import type { Dispatcher } from "undici";
import { whenAborted } from "../when-aborted.ts";
import { createInflow, type Inflow } from "./body-inflow.ts";
import { decompress, encodingOf } from "./encoding.ts";

export interface ExchangeRequest {
  origin: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds: until the headers are here, then until the whole body is, and for all of it with the connection. */
  timeouts: { headers: number; body: number; call: number };
  /** Of the body, both as it comes and decompressed. */
  maxBodyBytes: number;
  /** Takes the decompressed body of a success as it comes: `data` is empty then, and it may be of any length. What this throws is the failure. */
  onData?: ((chunk: Buffer) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** Headers have lower-case names; `data` is decompressed. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  data: Buffer;
}

/** The headers, or then the body, did not come to their end in time. */
export class SlowAnswer extends Error {}
/** The answer came, but its body is of no use. */
abstract class UselessBody extends Error {
  readonly status: number;
  constructor(status: number) {
    super();
    this.status = status;
  }
}
/** The body is longer than it may be: than what `limit` names. */
export class LongBody extends UselessBody {
  readonly limit: string;
  constructor(status: number, limit = "`maxBodyBytes`") {
    super(status);
    this.limit = limit;
  }
}
/** The body seems to be compressed, and cannot be decompressed. */
export class BrokenEncoding extends UselessBody {}

/**
 * One HTTP request and its whole answer, by undici's dispatcher alone: no redirects, no retries, no streams between. Rejects with one
 * of the errors above, with an error of undici, or with the reason of the signal.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  return collect(dispatcher, request).then((answer) => decoded(answer, request.maxBodyBytes));
}

async function decoded(answer: RawAnswer, maxOutputLength: number): Promise<RawAnswer> {
  const { status, headers, data } = answer;
  // Of any other answer the status is all that is used: a body that cannot be decompressed must not hide it.
  if (status > 299) return answer;
  const encoding = encodingOf(data, hintOf(headers));
  if (encoding === "plain") return answer;
  try {
    return { ...answer, data: await decompress[encoding](data, { maxOutputLength }) };
  } catch (error) {
    const isLong = (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    throw isLong ? new LongBody(status) : new BrokenEncoding(status);
  }
}

const hintOf = (headers: RawAnswer["headers"]): string => single(headers["content-encoding"]) ?? "";

/** The value of a header, the first one if it came more than once. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function collect(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  const { signal, maxBodyBytes, timeouts } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let timer: NodeJS.Timeout | undefined;
    let chunks: Buffer[] = [];
    let inflow: Inflow | undefined;
    let bytes = 0;
    let status = 0;
    let headers: RawAnswer["headers"] = {};

    const settle = (): void => {
      clearTimeout(timer);
      forget();
    };
    /** Of a failure the status says all there is to know, and its Retry-After must not be lost with a body that broke. */
    const fail = (reason: Error): void => {
      settle();
      inflow?.stop();
      if (status >= 400 && !signal?.aborted) resolve({ status, headers, data: Buffer.alloc(0) });
      else reject(reason);
    };
    const stop = (reason: Error): void => {
      fail(reason);
      controller?.abort(reason);
    };
    // Made only when it happens: the stack of an error costs more than all the rest of a request.
    const tooSlow = (): void => stop(new SlowAnswer());
    const begun = performance.now();
    /** One timer for both phases: set for the first, it goes on to the second if that is under way when it goes off. */
    let deadline = 0;
    const limit = (milliseconds: number): void => {
      const now = performance.now();
      deadline = Math.min(now + milliseconds, begun + timeouts.call);
      if (timer === undefined || milliseconds < timeouts.headers) arm(now);
    };
    const arm = (now: number): void => {
      clearTimeout(timer);
      timer = setTimeout(check, Math.max(1, deadline - now));
    };
    const check = (): void => {
      const now = performance.now();
      if (now >= deadline) tooSlow();
      else arm(now);
    };

    const inflowTo = (onData: (chunk: Buffer) => void): Inflow =>
      createInflow(hintOf(headers), onData, (reason) => stop(reason ?? new BrokenEncoding(status)));

    const forget = whenAborted(signal, () => stop(signal?.reason));
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // undici's own limits are for a silence, which an answer that trickles never breaks, nor one of 1xx without end.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        // Called again when undici moves a request that was not sent yet to another connection.
        onRequestStart(given) {
          controller = given;
          status = 0;
          if (signal?.aborted) given.abort(signal.reason);
          else limit(timeouts.headers);
        },
        onResponseStart(_, statusCode, answered) {
          if (statusCode < 200) return;
          status = statusCode;
          headers = answered;
          chunks = [];
          bytes = 0;
          inflow?.stop();
          inflow = request.onData === undefined || status > 299 ? undefined : inflowTo(request.onData);
          if (inflow !== undefined) limit(timeouts.body);
          else if (Number(single(headers["content-length"])) > maxBodyBytes) stop(new LongBody(status));
          else limit(timeouts.body);
        },
        onResponseData(given, chunk) {
          bytes += chunk.length;
          if (inflow !== undefined) inflow.write(chunk, given);
          else if (bytes > maxBodyBytes) stop(new LongBody(status));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          if (inflow !== undefined) {
            inflow.end(() => {
              settle();
              resolve({ status, headers, data: Buffer.alloc(0) });
            });
            return;
          }
          settle();
          const [only] = chunks;
          resolve({ status, headers, data: chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes) });
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}
