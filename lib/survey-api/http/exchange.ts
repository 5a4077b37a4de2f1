import type { Dispatcher } from "undici";
import { type About, UnreadableBodyError } from "../errors.ts";
import { whenAborted } from "../when-aborted.ts";
import { decoded } from "./encoding.ts";

export interface ExchangeRequest {
  origin: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string | undefined;
  /** Milliseconds: until the headers are here, then until the whole body is, and for all of it. */
  timeouts: { headers: number; body: number; call: number };
  /** Of the body, both as it comes and decompressed. */
  maxBodyBytes: number;
  signal: AbortSignal | undefined;
  /** For an error of the body. */
  about: About;
}

/** Headers have lower-case names; `data` is the decompressed body of a success. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  data: Buffer;
}

/** The headers, or then the body, did not come to their end in time. */
export class SlowAnswer extends Error {}

/** Ends a connection that nobody waits for any more. */
const GIVEN_UP = new Error("given up");

/** The value of a header, the first one if it came more than once. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * One HTTP request and its whole answer: no redirects, no retries.
 * Rejects with a `SlowAnswer`, an error of undici, an `UnreadableBodyError`, or the reason of the signal.
 */
export async function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  const answer = await receive(dispatcher, request);
  if (!isSuccess(answer)) return answer;
  const { status, headers } = answer;
  const data = await decoded(answer.data, single(headers["content-encoding"]) ?? "", request.maxBodyBytes);
  if (data === "too long") throw tooLong(request, status);
  if (data !== "broken") return { status, headers, data };
  const hint = "A proxy may spoil it on the way; check `baseUrl`.";
  throw new UnreadableBodyError("the body cannot be decompressed", { ...request.about, status, retryable: true, hint });
}

/** Of anything else the status is all that is used: its body is only read to its end. */
const isSuccess = ({ status }: RawAnswer): boolean => status < 300;

const tooLong = ({ about }: ExchangeRequest, status: number): UnreadableBodyError =>
  new UnreadableBodyError("the body is longer than `maxBodyBytes`", { ...about, status, hint: "Check `baseUrl`." });

/** The answer as it comes. It is read piece by piece: a stream for each body would cost more than all the rest of a request. */
function receive(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  const { origin, path, method, headers, body = null, timeouts, maxBodyBytes, signal } = request;
  const endsAt = performance.now() + timeouts.call;
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let answer: RawAnswer | undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function limit(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => fail(new SlowAnswer()), Math.max(1, Math.min(milliseconds, endsAt - performance.now())));
  }

  function fail(error: unknown): void {
    // Of a failure the status says all there is to know, and its Retry-After must not be lost with a body that broke.
    if (answer !== undefined && !isSuccess(answer) && !signal?.aborted) resolve(answer);
    // Whatever broke first: the caller's own reason.
    else reject(signal?.aborted ? signal.reason : error);
    finish();
    controller?.abort(GIVEN_UP);
  }

  function finish(): void {
    isOver = true;
    clearTimeout(timer);
    forget();
  }

  const forget = whenAborted(signal, () => fail(undefined));
  limit(timeouts.headers);
  // undici's own limits are for a silence, which an answer that trickles never breaks, nor one of 1xx without end.
  const options = { origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 };
  dispatcher.dispatch(options, {
    onRequestStart(given) {
      controller = given;
      // It was given up while it waited for its connection.
      if (isOver) given.abort(GIVEN_UP);
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return;
      answer = { status, headers, data: Buffer.alloc(0) };
      limit(timeouts.body);
      if (Number(single(headers["content-length"])) > maxBodyBytes) fail(tooLong(request, status));
    },
    onResponseData(_, chunk) {
      bytes += chunk.length;
      if (answer !== undefined && bytes > maxBodyBytes) fail(tooLong(request, answer.status));
      else if (answer !== undefined && isSuccess(answer)) chunks.push(chunk);
    },
    onResponseEnd() {
      if (answer === undefined) return;
      finish();
      resolve({ ...answer, data: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) });
    },
    onResponseError: (_, error) => fail(error),
  });
  return promise;
}
