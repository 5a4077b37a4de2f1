import type { Dispatcher } from "undici";
import { whenAborted } from "../when-aborted.ts";
import { createInflow, type Inflow } from "./encoding.ts";

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

/** Headers have lower-case names; `data` is the decompressed body of a success. */
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

/** The value of a header, the first one if it came more than once. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * One HTTP request and its whole answer, by undici's dispatcher alone: no redirects, no retries. Rejects with one of the errors above, with
 * an error of undici, with what `onData` has thrown, or with the reason of the signal.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  const { signal, maxBodyBytes, timeouts, onData } = request;
  return new Promise((resolve, reject) => {
    const endsAt = performance.now() + timeouts.call;
    let controller: Dispatcher.DispatchController | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isSettled = false;
    let status = 0;
    let headers: RawAnswer["headers"] = {};
    let inflow: Inflow | undefined;
    let chunks: Buffer[] = [];
    /** Of the body as it comes, and decompressed. */
    let [bytes, size] = [0, 0];

    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
      forget();
      inflow?.stop();
    };
    const succeed = (): void => {
      if (isSettled) return;
      settle();
      const [only = Buffer.alloc(0)] = chunks;
      resolve({ status, headers, data: chunks.length > 1 ? Buffer.concat(chunks, size) : only });
    };
    /** Of a failure the status says all there is to know, and its Retry-After must not be lost with a body that broke. */
    const fail = (reason: unknown): void => {
      if (isSettled) return;
      settle();
      if (status >= 400 && !signal?.aborted) resolve({ status, headers, data: Buffer.alloc(0) });
      else reject(reason);
    };
    const stop = (reason: Error): void => {
      fail(reason);
      controller?.abort(reason);
    };
    const limit = (milliseconds: number): void => {
      const left = Math.max(1, Math.min(milliseconds, endsAt - performance.now()));
      if (timer !== undefined && left === milliseconds && left === timeouts.headers) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      // Made only when it happens: the stack of an error costs more than all the rest of a request.
      timer = setTimeout(() => stop(new SlowAnswer()), left);
    };
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBodyBytes) throw new LongBody(status);
      chunks.push(chunk);
    };
    const take = (chunk: Buffer): void => {
      if (isSettled) return;
      try {
        (onData ?? keep)(chunk);
      } catch (error) {
        stop(error as Error);
      }
    };
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
          [status, headers, chunks, bytes, size] = [statusCode, answered, [], 0, 0];
          limit(timeouts.body);
          inflow?.stop();
          const hint = single(headers["content-encoding"]) ?? "";
          // Of any other answer the status is all that is used.
          inflow = status > 299 ? undefined : createInflow(hint, take, () => stop(new BrokenEncoding(status)));
          const isLong = Number(single(headers["content-length"])) > maxBodyBytes;
          if (isLong && (onData === undefined || inflow === undefined)) stop(new LongBody(status));
        },
        onResponseData(given, chunk) {
          bytes += chunk.length;
          if (bytes > maxBodyBytes && (onData === undefined || inflow === undefined)) stop(new LongBody(status));
          else inflow?.write(chunk, given);
        },
        onResponseEnd() {
          if (inflow === undefined) succeed();
          else inflow.end(succeed);
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}
