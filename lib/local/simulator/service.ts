import { STATUS_CODES } from "node:http";
import { delay, type Fault, type Faults } from "./faults.ts";
import type { HttpOutcome, HttpReply, HttpRequest } from "./http-server.ts";
import type { Answer } from "./operations.ts";
import { findRoute, type Operation, type Route } from "./routes.ts";
import type { RateLimit, Settings } from "./settings.ts";
import { type Tokens, tokenBody } from "./tokens.ts";

interface ServiceContext {
  clientId: string;
  clientSecret: string;
  settings: () => Settings;
  now: () => number;
  faults: Faults;
  tokens: Tokens;
  log: RequestLog;
  operate: (route: Route) => Answer;
}

/** The service from request to reply: route, faults, rate limit, headers, operation. */
export function createService(context: ServiceContext): (request: HttpRequest) => Promise<HttpOutcome> {
  const { settings, now, faults, tokens, log } = context;
  const waitFor = createRateLimiter(now);

  return async (request) => {
    const at = now();
    const route = findRoute(request.method, request.path);
    const survey = route?.parameters.survey;
    const { delayMs, fault } = faults.take(route?.operation, survey === undefined ? undefined : Number(survey));
    await delay(delayMs);
    const answer = faulty(fault) ?? right(request, route);
    const outcome = fault?.kind === "truncate" && answer !== "reset" ? { ...answer, isCut: true } : answer;
    log.add({
      operation: route?.operation ?? "unknown",
      method: request.method,
      path: request.path,
      headers: { ...request.headers },
      body: request.body,
      status: outcome === "reset" ? 0 : outcome.status,
      at,
    });
    return outcome;
  };

  /** The reply in place of the right one, if this fault keeps the service from looking at the request. */
  function faulty(fault: Fault | undefined): HttpOutcome | undefined {
    switch (fault?.kind) {
      case "reset":
        return "reset";
      case "html":
        return reply(200, { body: "<!doctype html><title>Maintenance</title><p>Back soon.</p>", type: "text/html" });
      case "status":
        return refusal(fault.status, fault.retryAfter);
    }
    return undefined;
  }

  function right(request: HttpRequest, route: Route | undefined): HttpOutcome {
    if (route === undefined) return refusal(404);
    const { rateLimit } = settings();
    if (rateLimit !== null && !route.operation.startsWith("v2-")) {
      const wait = waitFor(rateLimit);
      if (wait !== undefined) return refusal(429, rateLimit.retryAfter === "seconds" ? wait / 1000 : undefined);
    }
    if (route.operation === "token") return tokenReply(request);
    if (!hasDocumentedHeaders(request)) return refusal(400);
    const { status, body } = context.operate(route);
    return status === 200 ? reply(status, { body: JSON.stringify(body), type: "application/json" }) : refusal(status);
  }

  function tokenReply(request: HttpRequest): HttpReply {
    const fields = new URLSearchParams(request.body);
    const clientId = fields.get("clientId");
    const clientSecret = fields.get("clientSecret");
    const form = (request.headers["content-type"] ?? formType).split(";")[0]?.trim().toLowerCase() === formType;
    if (!form || clientId === null || clientSecret === null) return refusal(400);
    const known = clientId === context.clientId && clientSecret === context.clientSecret;
    return known ? reply(200, tokenBody(tokens.issue(), settings())) : refusal(401);
  }

  // Exactly the two headers of section 5: a wrong token and a missing header are both a bad request.
  function hasDocumentedHeaders({ headers }: HttpRequest): boolean {
    const token = /^bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
    return headers["content-type"] === "application/json" && token !== undefined && tokens.accept(token);
  }
}

const formType = "application/x-www-form-urlencoded";

/** `type`: the media type. HTTP allows a 204 no body. */
function reply(status: number, { body, type }: { body: string; type: string }): HttpReply {
  return status === 204
    ? { status, headers: {}, body: "" }
    : { status, headers: { "Content-Type": `${type}; charset=utf-8` }, body };
}

/** A status with the body of an error; `retryAfter` in seconds. */
function refusal(status: number, retryAfter?: number): HttpReply {
  const body = JSON.stringify({ status, message: STATUS_CODES[status] ?? "Error" });
  const refused = reply(status, { body, type: "application/json" });
  if (retryAfter === undefined) return refused;
  return { ...refused, headers: { ...refused.headers, "Retry-After": String(Math.max(1, Math.ceil(retryAfter))) } };
}

/** A token bucket: undefined grants the request, a number is the milliseconds until the next one is granted. */
function createRateLimiter(now: () => number): (limit: RateLimit | null) => number | undefined {
  let current: RateLimit | null = null;
  let tokens = 0;
  let filledAt = 0;
  return (limit) => {
    if (limit === null) return undefined;
    const at = now();
    if (limit !== current) {
      current = limit;
      tokens = limit.burst;
    } else tokens = Math.min(limit.burst, tokens + ((at - filledAt) / 1000) * limit.perSecond);
    filledAt = at;
    if (tokens < 1) return ((1 - tokens) / limit.perSecond) * 1000;
    tokens -= 1;
    return undefined;
  };
}

/** One request as it arrived and was answered; `at` in epoch milliseconds. */
export interface RequestLogEntry {
  operation: Operation | "unknown";
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The status answered; 0 when the connection was reset. */
  status: number;
  at: number;
}

type RequestLog = ReturnType<typeof createRequestLog>;

/** Requests that are kept. */
const LOGGED = 10_000;

/** Counts every request, and keeps the last of them. */
export function createRequestLog() {
  const counters = new Map<string, number>();
  let entries: RequestLogEntry[] = [];
  return {
    add(entry: RequestLogEntry): void {
      for (const name of ["requests", entry.operation, `status:${entry.status}`])
        counters.set(name, (counters.get(name) ?? 0) + 1);
      entries.push(entry);
      // Cut back only now and then: a shift for each request would cost as much as the request.
      if (entries.length >= 2 * LOGGED) entries = entries.slice(-LOGGED);
    },
    counters: (): Record<string, number> => Object.fromEntries(counters),
    entries: (): readonly RequestLogEntry[] => entries,
    reset(): void {
      counters.clear();
      entries = [];
    },
  };
}
