import { type Coordination, PAUSE_WORTH_SHARING } from "../coordination.ts";
import { pauseChannel, requestChannel, retryChannel } from "../diagnostics.ts";
import { type AboutAnswer, type FailureCode, ServerError, TooManyRequestsError } from "../errors.ts";
import type { Operation } from "../operations.ts";
import type { LearnedRate, Share } from "../rate/allowed-rate.ts";
import { createLimiter, LongPause, type Turn } from "../rate/limiter.ts";
import { createDispatcher } from "./dispatcher.ts";
import { BrokenEncoding, exchange, LongBody } from "./exchange.ts";
import {
  closedClient,
  outOfTime,
  paused,
  type Redirect,
  redirectedTooOften,
  redirectWithin,
  tooMany,
  translate,
  unexpected,
} from "./failures.ts";
import { nextDelay, type RetryPolicy } from "./retry-policy.ts";

const USER_AGENT = "survey-poller";
/** Redirects within the service that are followed, one after the other. */
const MOST_REDIRECTS = 3;

/** Milliseconds. */
export interface Timeouts {
  /** Until a connection stands. */
  connect: number;
  /** From the request to the headers of its answer. */
  headers: number;
  /** From the headers to the end of the body, however much of it comes meanwhile. */
  body: number;
  /** For a call with all its attempts and the waiting between them, from the moment when its first request goes out. */
  call: number;
}

export interface TransportOptions {
  /** Scheme and host of the service; a path is kept as prefix. */
  baseUrl: string;
  timeouts: Timeouts;
  concurrency: number;
  maxRequestsPerSecond?: number;
  learned?: LearnedRate;
  retry: RetryPolicy;
  proxy?: string;
  maxBodyBytes: number;
  onPause: Coordination["onPause"];
  now: () => number;
  monotonic: () => number;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
}

export interface HttpRequest<T> {
  operation: Operation;
  method: "GET" | "POST";
  path: string;
  /** Asked for when it goes out; what it throws ends the call. */
  headers: () => Record<string, string>;
  body?: string;
  priority: Turn["priority"];
  signal: AbortSignal | undefined;
  /** Reads the body of an answer with status 200; what it throws as retryable is met with another attempt. */
  read: (text: string, about: AboutAnswer) => T;
  /** Reads it as it comes instead. */
  stream?: () => BodyStream<T>;
}

/** Takes the body of one answer part by part; its errors are treated as those of `read`. */
export interface BodyStream<T> {
  write(chunk: Buffer, about: AboutAnswer): void;
  end(about: AboutAnswer): T;
}

/** 204 says nothing, in as many words. 400, 401 and 404 are answers too; any other failure is thrown. */
export type HttpAnswer<T> =
  | { status: 200; value: T; attempts: number }
  | { status: 204 | 400 | 401 | 404; attempts: number };

export interface Transport {
  /** Makes a request when its turn has come, and again where the retry policy says so. */
  send<T>(request: HttpRequest<T>): Promise<HttpAnswer<T>>;
  learned(): LearnedRate | undefined;
  learn(learned: LearnedRate): void;
  share(share: Share): void;
  /** Nothing goes out for so many milliseconds. */
  pause(milliseconds: number): void;
  close(): Promise<void>;
}

interface Failure {
  error: unknown;
  /** Undefined when the failure stands. */
  delay: number | undefined;
}

/** Without white space and byte order marks before it: JSON allows no mark, and some services write one, or two. */
function toText(data: Buffer): string {
  return data.toString("utf8").trimStart();
}

/** HTTP with time limits, retries, and one limiter for everything that goes to the service. */
export function createTransport(options: TransportOptions): Transport {
  const { timeouts, retry, monotonic } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const dispatcher = createDispatcher(options);
  let closed: Promise<void> | undefined;
  const limiter = createLimiter({ ...options, longestPause: retry.longestPause });
  /** The path that has asked for time last (503), and until when (monotonic). */
  let asking = { path: "", until: Number.NEGATIVE_INFINITY };

  async function once<T>(
    call: HttpRequest<T>,
    path: string,
    attempt: number,
    left: number,
  ): Promise<HttpAnswer<T> | Redirect> {
    const about = { operation: call.operation, attempts: attempt };
    // It may throw, and then nothing is sent that could be told of.
    const headers = call.headers();
    const sentAt = monotonic();
    let status: number | undefined;
    const stream = call.stream?.();
    try {
      const answer = await exchange(dispatcher, {
        origin: base.origin,
        path,
        method: call.method,
        headers: {
          accept: "application/json",
          "accept-encoding": "gzip, br",
          // Whether a list has changed is told by reading a page again: an answer that a cache has kept would prove nothing.
          "cache-control": "no-cache",
          "user-agent": USER_AGENT,
          ...headers,
        },
        timeouts: { headers: timeouts.headers, body: timeouts.body, call: left },
        maxBodyBytes: options.maxBodyBytes,
        onData: stream && ((chunk) => stream.write(chunk, { ...about, status: 200 })),
        signal: call.signal,
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      status = answer.status;
      if (status === 429) throw tooMany(answer, about, options.now());
      limiter.granted();
      if (status === 204 || status === 400 || status === 401 || status === 404) return { status, attempts: attempt };
      // 200 is the only success documented; a proxy that rewrites makes 203 of it.
      if (status === 200 || status === 203) {
        const of = { ...about, status };
        const value = stream === undefined ? call.read(toText(answer.data), of) : stream.end(of);
        return { status: 200, value, attempts: attempt };
      }
      return redirectWithin(answer, call, base, path) ?? unexpected(answer, about, base, options.now());
    } catch (error) {
      if (error instanceof LongBody || error instanceof BrokenEncoding) status = error.status;
      throw translate(error, call, about);
    } finally {
      if (requestChannel.hasSubscribers) {
        requestChannel.publish({ operation: call.operation, status, duration: monotonic() - sentAt, attempt });
      }
    }
  }

  /** The answer, or the failure with the milliseconds to wait before another attempt. */
  async function attemptOnce<T>(
    call: HttpRequest<T>,
    path: string,
    attempt: number,
    begun: { at: number | undefined },
  ): Promise<HttpAnswer<T> | Redirect | Failure> {
    const sentAt = monotonic();
    begun.at ??= sentAt;
    try {
      return await once(call, path, attempt, begun.at + timeouts.call - sentAt);
    } catch (error) {
      // Before this place is free for the next: the pause is for all, also when this call gives up.
      const pause = pauseAfter(error, path, sentAt);
      const delay = nextDelay(retry, error, attempt, options.random());
      const late = delay !== undefined && monotonic() + Math.max(delay, pause) - begun.at >= timeouts.call;
      return { error, delay: late ? undefined : delay };
    }
  }

  /** Whether a 503 is about more than what was asked for: something else has asked for time as well, which is not over. */
  function isOfAll(path: string, retryAfter: number): boolean {
    const isOther = asking.path !== path && asking.until > monotonic();
    if (!isOther) asking = { path, until: monotonic() + retryAfter };
    return isOther;
  }

  /** Milliseconds for which nothing goes out now, because of this failure. */
  function pauseAfter(error: unknown, path: string, sentAt: number): number {
    if (!(error instanceof TooManyRequestsError || error instanceof ServerError)) return 0;
    const { operation, retryAfter } = error;
    if (error instanceof ServerError && (retryAfter === undefined || !isOfAll(path, retryAfter))) return 0;
    const pause = error instanceof ServerError ? limiter.pause(retryAfter ?? 0) : limiter.refused(sentAt, retryAfter);
    if (pause.duration >= PAUSE_WORTH_SHARING) sharePause(options.now() + pause.duration);
    if (pause.isNew && pauseChannel.hasSubscribers) {
      const { requestsPerSecond } = limiter.learned() ?? {};
      pauseChannel.publish({ operation, duration: pause.duration, asked: retryAfter !== undefined, requestsPerSecond });
    }
    return pause.duration;
  }

  /** Others may fail at it, and it must fail no call here. */
  function sharePause(until: number): void {
    Promise.resolve({ until })
      .then((pause) => options.onPause(pause))
      .catch(() => undefined);
  }

  async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await options.sleep(milliseconds, signal);
    } catch (error) {
      // The caller's own reason, instead of the timer's.
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Waits for the turn of a further request no longer than the call may last. */
  async function runInTime<T>(work: () => Promise<T>, turn: Turn, until: number, failure: () => unknown): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.max(0, until - monotonic()));
    const signals = turn.signal === undefined ? [late.signal] : [turn.signal, late.signal];
    try {
      return await limiter.run(work, { ...turn, signal: AbortSignal.any(signals) });
    } catch (error) {
      turn.signal?.throwIfAborted();
      throw late.signal.aborted ? failure() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async send(call) {
      const begun: { at: number | undefined } = { at: undefined };
      let path = prefix + call.path;
      let redirects = 0;
      let failure: unknown;
      for (let attempt = 1; ; ) {
        if (closed !== undefined) throw closedClient(call.operation, attempt - 1);
        const turn = { priority: call.priority, again: begun.at !== undefined, signal: call.signal };
        const work = () => attemptOnce(call, path, attempt, begun);
        const outcome = await (begun.at === undefined
          ? limiter.run(work, turn)
          : runInTime(work, turn, begun.at + timeouts.call, () => failure ?? outOfTime(call.operation, attempt))
        ).catch((error: unknown) => Promise.reject(error instanceof LongPause ? paused(error, call, attempt) : error));
        if ("status" in outcome) return outcome;
        if ("path" in outcome) {
          redirects += 1;
          if (redirects > MOST_REDIRECTS) throw redirectedTooOften(call.operation, attempt);
          path = outcome.path;
          continue;
        }
        const { error, delay } = outcome;
        if (delay === undefined) throw error;
        failure = error;
        if (retryChannel.hasSubscribers) {
          const { code } = error as { code: FailureCode };
          retryChannel.publish({ operation: call.operation, code, attempt, delay });
        }
        if (delay > 0) await sleepUnlessAborted(delay, call.signal);
        attempt += 1;
      }
    },
    learned: () => limiter.learned(),
    learn: (learned) => limiter.learn(learned),
    share: (share) => limiter.share(share),
    pause: (milliseconds) => void limiter.pause(milliseconds),
    close() {
      closed ??= dispatcher.close();
      return closed;
    },
  };
}
