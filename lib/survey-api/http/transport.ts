import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { type Coordination, PAUSE_WORTH_SHARING } from "../coordination.ts";
import { pauseChannel, requestChannel } from "../diagnostics.ts";
import {
  type About,
  type AboutAnswer,
  NetworkError,
  ServerError,
  SurveyApiError,
  TimeoutError,
  TooManyRequestsError,
} from "../errors.ts";
import type { Operation } from "../paths.ts";
import { createLimiter, type LimiterOptions, LongPause, type Turn } from "../rate/limiter.ts";
import { exchange, type RawAnswer } from "./exchange.ts";
import { redirectWithin, tooMany, translate, unexpected } from "./failures.ts";
import { nextDelay, type RetryPolicy } from "./retry-policy.ts";

const HEADERS = {
  accept: "application/json",
  "accept-encoding": "gzip, br",
  // Whether a list has changed is told by reading a page again: an answer that a cache has kept would prove nothing.
  "cache-control": "no-cache",
  "user-agent": "survey-poller",
};
const LESS = "Raise `timeouts.call`, or ask for less at a time.";
/** The survey list has no pages: it may be so many times as long as any other body. */
const LIST_FACTOR = 8;
/** One connection to spare for so many requests in flight. */
const SPARE = 4;
/** Redirects within the service that are followed, one after the other. */
const MOST_REDIRECTS = 3;

/** Milliseconds. */
export interface Timeouts {
  /** Until a connection stands. */
  connect: number;
  /** From the request, with the time to connect, to the headers of its answer. */
  headers: number;
  /** From the headers to the end of the body, however much of it comes meanwhile. */
  body: number;
  /** For a call with all its attempts and the waiting between them, from the moment when its first request goes out. */
  call: number;
}

/** The options that were checked and completed. */
export interface CheckedOptions extends Pick<LimiterOptions, "concurrency" | "maxRequestsPerSecond"> {
  /** Scheme and host of the service; a path is kept as prefix. */
  baseUrl: string;
  timeouts: Timeouts;
  retry: RetryPolicy;
  /** URL of an HTTP proxy. */
  proxy?: string;
  maxBodyBytes: number;
}

export interface TransportOptions extends CheckedOptions, Pick<LimiterOptions, "now" | "monotonic" | "sleep"> {
  onPause: Coordination["onPause"];
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
}

/** 204 says nothing, in as many words. 400, 401 and 404 are answers too; any other failure is thrown. */
export type HttpAnswer<T> =
  | { status: 200; value: T; attempts: number }
  | { status: 204 | 400 | 401 | 404; attempts: number };

export type Transport = ReturnType<typeof createTransport>;

/** How one attempt ended; with a failure that stands where no delay is told, in milliseconds. */
type Outcome<T> = { answer: HttpAnswer<T> } | { error: unknown; delay: number | undefined };

/** HTTP with time limits, retries, and one limiter for everything that goes to the service. */
export function createTransport(options: TransportOptions) {
  const { timeouts, retry, monotonic } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const dispatcher = createDispatcher(options);
  let closed: Promise<void> | undefined;
  const limiter = createLimiter({ ...options, longestPause: retry.longestPause });
  /** The path that has asked for time last (503), and until when (monotonic). */
  let asking = { path: "", until: Number.NEGATIVE_INFINITY };
  /** End of the pause that others were told of last (monotonic). */
  let toldUntil = Number.NEGATIVE_INFINITY;

  /** One request of a call, which is told of. Throws what the client throws for its failure. */
  async function request<T>(call: HttpRequest<T>, path: string, about: About, endsAt: number): Promise<RawAnswer> {
    // It may throw, and then nothing is sent that could be told of.
    const headers = { ...HEADERS, ...call.headers() };
    const sentAt = monotonic();
    let status: number | undefined;
    try {
      const answer = await exchange(dispatcher, {
        origin: base.origin,
        path,
        method: call.method,
        headers,
        timeouts: { headers: timeouts.headers, body: timeouts.body, call: endsAt - sentAt },
        maxBodyBytes: options.maxBodyBytes * (call.operation === "get survey list" ? LIST_FACTOR : 1),
        signal: call.signal,
        about,
        body: call.body,
      });
      status = answer.status;
      return answer;
    } catch (error) {
      const failure = translate(error, call, about);
      if (failure instanceof SurveyApiError) status = failure.status;
      throw failure;
    } finally {
      if (requestChannel.hasSubscribers) {
        const { operation, attempts: attempt } = about;
        requestChannel.publish({ operation, status, duration: monotonic() - sentAt, attempt });
      }
    }
  }

  /** One attempt: a request, and those to where it is redirected within the service. */
  async function once<T>(call: HttpRequest<T>, about: About, endsAt: number): Promise<HttpAnswer<T>> {
    let path = prefix + call.path;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const answer = await request(call, path, about, endsAt);
      const { status } = answer;
      if (status === 429) throw tooMany(answer, about, options.now());
      limiter.granted();
      if (status === 204 || status === 400 || status === 401 || status === 404)
        return { status, attempts: about.attempts };
      // 200 is the only success documented; a proxy that rewrites makes 203 of it.
      if (status === 200 || status === 203) {
        // JSON allows no byte order mark before it, and some services write one, or two.
        const value = call.read(answer.data.toString("utf8").trimStart(), { ...about, status });
        return { status: 200, value, attempts: about.attempts };
      }
      path = redirectWithin(answer, call, base, path) ?? unexpected(answer, about, base, options.now());
    }
    throw new ServerError("the service redirects again and again", { ...about, hint: "Check `baseUrl`." });
  }

  /** Milliseconds for which nothing goes out now, because of this failure. */
  function pauseAfter(error: unknown, path: string, sentAt: number): number {
    const isRefusal = error instanceof TooManyRequestsError;
    if (!isRefusal && !(error instanceof ServerError && error.retryAfter !== undefined)) return 0;
    const { operation, retryAfter = 0 } = error;
    if (!isRefusal && (asking.path === path || asking.until <= monotonic())) {
      // It is about what was asked for, as long as nothing else has asked for time as well.
      asking = { path, until: monotonic() + retryAfter };
      return 0;
    }
    const { duration, isNew } = isRefusal ? limiter.refused(sentAt, error.retryAfter) : limiter.pause(retryAfter);
    const endsAt = monotonic() + duration;
    if (duration >= PAUSE_WORTH_SHARING && endsAt >= toldUntil + PAUSE_WORTH_SHARING) {
      toldUntil = endsAt;
      // Others may fail at it, and it must fail no call here.
      void (async () => options.onPause({ until: options.now() + duration }))().catch(() => undefined);
    }
    if (isNew && pauseChannel.hasSubscribers) {
      const { requestsPerSecond } = limiter.learned() ?? {};
      pauseChannel.publish({ operation, duration, asked: error.retryAfter !== undefined, requestsPerSecond });
    }
    return duration;
  }

  return {
    /** Makes a request when its turn has come, and again where the retry policy says so. */
    async send<T>(call: HttpRequest<T>): Promise<HttpAnswer<T>> {
      const { operation, priority, signal } = call;
      /** By when the call is over (monotonic): its time begins with its first request. */
      let endsAt: number | undefined;
      let failure: unknown;
      for (let attempt = 1; ; attempt += 1) {
        const madeSoFar = { operation, attempts: attempt - 1 };
        if (closed !== undefined)
          throw new NetworkError("the client is closed", { ...madeSoFar, hint: "Make another one." });
        const about = { operation, attempts: attempt };
        const work = async (): Promise<Outcome<T>> => {
          const sentAt = monotonic();
          endsAt ??= sentAt + timeouts.call;
          try {
            return { answer: await once(call, about, endsAt) };
          } catch (error) {
            // Before this place is free for the next: the pause is for all, also when this call gives up.
            const pause = pauseAfter(error, call.path, sentAt);
            const delay = nextDelay(retry, error, attempt, options.random());
            const isLate = delay !== undefined && monotonic() + Math.max(delay, pause) >= endsAt;
            return { error, delay: isLate ? undefined : delay };
          }
        };
        // The turn of a further request is waited for no longer than the call may last.
        const late =
          endsAt === undefined ? undefined : AbortSignal.timeout(Math.max(0, Math.floor(endsAt - monotonic())));
        const ending = late !== undefined && signal !== undefined ? AbortSignal.any([signal, late]) : (late ?? signal);
        const turn = { priority, again: late !== undefined, signal: ending };
        const outcome = await limiter.run(work, turn).catch((error: unknown) => {
          signal?.throwIfAborted();
          const noTime = { ...about, retryable: true, hint: LESS };
          if (late?.aborted) throw failure ?? new TimeoutError("no time is left for the call", noTime);
          if (!(error instanceof LongPause)) throw error;
          throw new TooManyRequestsError("the service asked for a pause that is not over", {
            ...madeSoFar,
            retryAfter: error.milliseconds,
            hint: "It is asked again when the pause is over.",
          });
        });
        if ("answer" in outcome) return outcome.answer;
        if (outcome.delay === undefined) throw outcome.error;
        failure = outcome.error;
        if (outcome.delay > 0) {
          await options.sleep(outcome.delay, signal).catch((error: unknown) => {
            // The caller's own reason, instead of the timer's.
            signal?.throwIfAborted();
            throw error;
          });
        }
      }
    },
    learned: limiter.learned,
    learn: limiter.learn,
    /** Nothing goes out for so many milliseconds. */
    pause: limiter.pause,
    close(): Promise<void> {
      closed ??= dispatcher.close();
      return closed;
    },
  };
}

function createDispatcher({ baseUrl, concurrency, timeouts, proxy }: CheckedOptions): Dispatcher {
  // HTTP/1.1 only: one request in flight for each connection. undici gives a connection back one turn of the event loop after its answer.
  // Without some to spare, the next request waits for that.
  const connections = concurrency + Math.floor(concurrency / SPARE);
  const common = { connections, pipelining: 1, keepAliveTimeout: 4_000, allowH2: false };
  const connect = { timeout: timeouts.connect };
  if (proxy === undefined) return new Pool(new URL(baseUrl).origin, { ...common, connect });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    // For http too, so that the proxy sees no more of it than of https.
    proxyTunnel: true,
    connectTimeout: timeouts.connect,
    // A connection stands when the proxy has answered CONNECT, for which undici would wait five minutes.
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: timeouts.connect }),
  });
}
