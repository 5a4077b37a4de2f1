import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listenHere } from "../listen.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createRandom } from "./hashing.ts";
import { createModel, type ModelOptions } from "./model.ts";
import { findRoute, type Operation, type Route } from "./routes.ts";
import type { RateLimit, Settings } from "./settings.ts";

export interface SimulatorOptions extends ModelOptions {
  /** Default 0: a free one. */
  port?: number;
  clientId?: string;
  clientSecret?: string;
}

/** What is sent over the wire; `type` is the media type. */
interface Reply {
  status: number;
  body: string;
  type: string;
  /** Seconds. */
  retryAfter?: number | undefined;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

/**
 * Starts a survey service on 127.0.0.1 that answers as the API document says.
 *
 * @example
 * const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 250 }] });
 * simulator.set({ sortKey: "dateCompleted", openListed: true });
 * simulator.fault({ kind: "status", status: 500, operation: "metrics", count: 2 });
 * const [responseId] = simulator.complete(7);
 * await simulator.close();
 */
export async function startSimulator(options: SimulatorOptions = {}) {
  const { port = 0, clientId = "simulator", clientSecret = "simulator-secret", now = Date.now } = options;
  const counters = new Map<string, number>();
  let log: RequestLogEntry[] = [];
  const { answer, ...model } = createModel(options);
  const faults = createFaults(createRandom(options.seed ?? 1));
  /** Epoch milliseconds until which each access token is good. */
  const tokens = new Map<string, number>();
  let issued = 0;
  const waitFor = createRateLimiter(now);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    const at = now();
    const route = findRoute(method, path);
    const survey = route?.parameters.survey;
    const { delayMs, fault } = faults.take(route?.operation, survey === undefined ? undefined : Number(survey));
    // It keeps no process alive.
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    const reply = fault?.kind === "reset" ? undefined : (replyOf(fault) ?? right(headers, body, route));
    note({ operation: route?.operation ?? "unknown", method, path, headers, body, status: reply?.status ?? 0, at });
    if (reply === undefined) {
      request.socket.resetAndDestroy();
      return;
    }
    const { status, type, retryAfter } = reply;
    // HTTP allows a 204 no body, and no length.
    const bytes = Buffer.from(status === 204 ? "" : reply.body);
    response.writeHead(status, {
      ...(status === 204 ? {} : { "Content-Type": `${type}; charset=utf-8`, "Content-Length": bytes.length }),
      ...(retryAfter === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(retryAfter))) }),
    });
    if (fault?.kind !== "truncate") {
      response.end(bytes);
      return;
    }
    await new Promise<void>((resolve) => response.write(bytes.subarray(0, bytes.length >> 1), () => resolve()));
    request.socket.destroySoon();
  }

  function note(entry: RequestLogEntry): void {
    for (const name of ["requests", entry.operation, `status:${entry.status}`])
      counters.set(name, (counters.get(name) ?? 0) + 1);
    log.push(entry);
    // Cut back only now and then: a shift for each request would cost as much as the request.
    if (log.length >= 2 * LOGGED) log = log.slice(-LOGGED);
  }

  function right(headers: IncomingMessage["headers"], body: string, route: Route | undefined): Reply {
    if (route === undefined) return refusal(404);
    const { rateLimit } = model.settings();
    if (rateLimit !== null && !route.operation.startsWith("v2-")) {
      const wait = waitFor(rateLimit);
      if (wait !== undefined) return refusal(429, rateLimit.retryAfter === "seconds" ? wait / 1000 : undefined);
    }
    if (route.operation === "token") return tokenReply(headers, body);
    // Exactly the two headers of section 5: a wrong token and a missing header are both a bad request.
    const [, token = ""] = /^bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
    const isGood = now() < (tokens.get(token) ?? Number.NEGATIVE_INFINITY);
    if (headers["content-type"] !== JSON_TYPE || !isGood) return refusal(400);
    const { status, body: shown } = answer(route);
    return status === 200 ? { status, body: JSON.stringify(shown), type: JSON_TYPE } : refusal(status);
  }

  function issueToken(): string {
    const { newTokenRevokesOlder, tokenLifetimeMs } = model.settings();
    if (newTokenRevokesOlder) tokens.clear();
    issued += 1;
    const expiresAt = now() + tokenLifetimeMs;
    const times = { iat: Math.floor(now() / 1000), exp: Math.floor(expiresAt / 1000) };
    const claims = { sub: clientId, jti: String(issued), ...times };
    const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    const token = `${unsigned}.${createHmac("sha256", clientSecret).update(unsigned).digest("base64url")}`;
    tokens.set(token, expiresAt);
    return token;
  }

  function tokenReply(headers: IncomingMessage["headers"], body: string): Reply {
    const fields = new URLSearchParams(body);
    const isForm = (headers["content-type"] ?? FORM_TYPE).split(";")[0]?.trim().toLowerCase() === FORM_TYPE;
    if (!isForm || !fields.has("clientId") || !fields.has("clientSecret")) return refusal(400);
    const isKnown = fields.get("clientId") === clientId && fields.get("clientSecret") === clientSecret;
    return isKnown ? { status: 200, ...tokenBody(issueToken(), model.settings()) } : refusal(401);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      request.socket.destroy();
      // A client that goes away in the middle of its request is no concern of the service. Anything else is a fault of
      // the simulator or of a hook: as a 500 it would look like one of the service's own.
      if (!request.complete) return;
      process.nextTick(() => {
        throw error;
      });
    });
  });
  const bound = await listenHere(server, port);
  return {
    ...model,
    url: `http://127.0.0.1:${bound.port}`,
    clientId,
    clientSecret,
    /** Adds a fault; the function returned takes it away again. */
    fault: faults.add,
    clearFaults: faults.clear,
    /** Makes every token issued so far a wrong one (400). */
    revokeToken: () => tokens.clear(),
    /** `requests`, each operation, and `status:<code>`. */
    counters: (): Record<string, number> => Object.fromEntries(counters),
    log: (): readonly RequestLogEntry[] => log,
    resetCounters(): void {
      counters.clear();
      log = [];
    },
    close: bound.close,
  };
}

/** The reply in place of the right one, if this fault keeps the service from looking at the request. */
function replyOf(fault: Fault | undefined): Reply | undefined {
  if (fault?.kind === "status") return refusal(fault.status, fault.retryAfter);
  if (fault?.kind !== "html") return undefined;
  return { status: 200, body: "<!doctype html><title>Maintenance</title><p>Back soon.</p>", type: "text/html" };
}

/** A status with the body of an error. */
function refusal(status: number, retryAfter?: number): Reply {
  const body = JSON.stringify({ status, message: STATUS_CODES[status] ?? "Error" });
  return { status, body, type: JSON_TYPE, retryAfter };
}

/** A token bucket: undefined grants the request, a number is the milliseconds until the next one is granted. */
function createRateLimiter(now: () => number): (limit: RateLimit) => number | undefined {
  let current: RateLimit | undefined;
  let tokens = 0;
  let filledAt = 0;
  return (limit) => {
    const at = now();
    const filled = tokens + ((at - filledAt) / 1000) * limit.perSecond;
    tokens = limit === current ? Math.min(limit.burst, filled) : limit.burst;
    current = limit;
    filledAt = at;
    if (tokens < 1) return ((1 - tokens) / limit.perSecond) * 1000;
    tokens -= 1;
    return undefined;
  };
}

/** One request as it arrived and was answered; `at` in epoch milliseconds. */
interface RequestLogEntry {
  operation: Operation | "unknown";
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The status answered; 0 when the connection was reset. */
  status: number;
  at: number;
}

const LOGGED = 10_000;

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Operation 1, of which the API document does not show the body. */
export function tokenBody(token: string, settings: Settings): { body: string; type: string } {
  const expires_in = Math.floor(settings.tokenLifetimeMs / 1000);
  switch (settings.tokenBody) {
    case "raw":
      return { body: token, type: "text/plain" };
    case "token":
      return json({ token });
    case "access_token":
      return json({ access_token: token, token_type: "bearer", expires_in });
    case "form": {
      const fields = { access_token: token, token_type: "bearer", expires_in: String(expires_in) };
      return { body: new URLSearchParams(fields).toString(), type: FORM_TYPE };
    }
  }
}

const json = (body: unknown) => ({ body: JSON.stringify(body), type: JSON_TYPE });
