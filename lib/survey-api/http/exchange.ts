import type { Dispatcher } from "undici";
import { type About, UnreadableBodyError } from "../errors.ts";
import { whenAborted } from "../when-aborted.ts";
import { decoded } from "./encoding.ts";

export interface ExchangeRequest {
  origin: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
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

/** The value of a header, the first one if it came more than once. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * One HTTP request and its whole answer: no redirects, no retries.
 * Rejects with a `SlowAnswer`, an error of undici, an `UnreadableBodyError`, or the reason of the signal.
 */
export async function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawAnswer> {
  const { timeouts, signal } = request;
  const ending = new AbortController();
  const forget = whenAborted(signal, () => ending.abort(signal?.reason));
  const endsAt = performance.now() + timeouts.call;
  let timer: NodeJS.Timeout | undefined;
  const limit = (milliseconds: number): void => {
    clearTimeout(timer);
    const left = Math.max(1, Math.min(milliseconds, endsAt - performance.now()));
    // Made only when it happens: the stack of an error costs more than all the rest of a request.
    timer = setTimeout(() => ending.abort(new SlowAnswer()), left);
  };
  let answer: RawAnswer | undefined;
  try {
    signal?.throwIfAborted();
    limit(timeouts.headers);
    const { statusCode, headers, body } = await dispatcher.request({
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal: ending.signal,
      // undici's own limits are for a silence, which an answer that trickles never breaks, nor one of 1xx without end.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    answer = { status: statusCode, headers, data: Buffer.alloc(0) };
    limit(timeouts.body);
    answer.data = await readBody(body, answer, request);
    return answer;
  } catch (error) {
    // Of a failure the status says all there is to know, and its Retry-After must not be lost with a body that broke.
    if (answer !== undefined && answer.status >= 400 && !signal?.aborted) return answer;
    // Whatever broke first: the caller's own reason.
    throw signal?.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** The decompressed body. Of anything but a success the status is all that is used: its body is only read to its end. */
async function readBody(
  body: Dispatcher.ResponseData["body"],
  { status, headers }: RawAnswer,
  { maxBodyBytes, about }: ExchangeRequest,
): Promise<Buffer> {
  const isSuccess = status < 300;
  const tooLong = (): UnreadableBodyError =>
    new UnreadableBodyError("the body is longer than `maxBodyBytes`", { ...about, status, hint: "Check `baseUrl`." });
  const chunks: Buffer[] = [];
  let bytes = 0;
  // An aborted body tells its end twice: where it is read, and here.
  body.on("error", () => undefined);
  try {
    if (Number(single(headers["content-length"])) > maxBodyBytes) throw tooLong();
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) throw tooLong();
      if (isSuccess) chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  const data = await decoded(whole, single(headers["content-encoding"]) ?? "", maxBodyBytes);
  if (data === "too long") throw tooLong();
  if (data !== "broken") return data;
  const hint = "A proxy may spoil it on the way; check `baseUrl`.";
  throw new UnreadableBodyError("the body cannot be decompressed", { ...about, status, retryable: true, hint });
}
