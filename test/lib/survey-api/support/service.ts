import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import {
  createSurveyApi,
  type StoredToken,
  type SurveyApi,
  type SurveyApiOptions,
} from "../../../../lib/survey-api/index.ts";

export const CLIENT_SECRET = "s3cret-of-the-client";
export const TOKEN = "first-token.abc";

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One answer: JSON unless it is text, or a function that does with the connection what it likes. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; json?: unknown; body?: string | Buffer }
  | ((response: ServerResponse, request: IncomingMessage) => void);

export interface Service {
  url: string;
  requests: Seen[];
  /** Requests of the data operations, without those for a token. */
  data: () => Seen[];
  tokenRequests: () => number;
  /** The answer to each path, by its beginning; the longest fits best. */
  answers: Map<string, (seen: Seen) => Answer>;
  /** The token that the service gives out and accepts. */
  token: { value: string };
  /** Older tokens that are not revoked. */
  acceptsAlso: Set<string>;
  /** The next so many requests are answered together, once all of them are here. */
  together: { count: number };
  /** Connections accepted so far, and those still open. */
  connections: { accepted: number; open: number };
}

/** A real HTTP server on loopback that speaks the documented operations, and misbehaves as told. */
export async function startService(): Promise<Service> {
  const requests: Seen[] = [];
  const token = { value: TOKEN };
  const acceptsAlso = new Set<string>();
  const together = { count: 1 };
  const held: (() => void)[] = [];
  const answers = new Map<string, (seen: Seen) => Answer>([
    ["/oauth/token/", () => ({ json: { token: token.value } })],
    ["/api/v3/surveys/", () => ({ json: [{ surveyId: 1 }] })],
  ]);
  const connections = { accepted: 0, open: 0 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      requests.push(seen);
      const best = [...answers.keys()]
        .filter((path) => seen.path.startsWith(path))
        .sort((a, b) => b.length - a.length)[0];
      const bearer = seen.headers.authorization?.replace("bearer ", "") ?? "";
      const wrongToken = seen.path.startsWith("/api") && bearer !== token.value && !acceptsAlso.has(bearer);
      const answer = wrongToken ? { status: 400, json: { error: "invalid token" } } : answers.get(best ?? "")?.(seen);
      held.push(() => send(answer ?? { status: 404, json: {} }, response, request));
      if (held.length < together.count) return;
      together.count = 1;
      for (const go of held.splice(0)) go();
    });
  });
  server.on("connection", (socket) => {
    connections.accepted += 1;
    connections.open += 1;
    socket.on("close", () => {
      connections.open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    token,
    acceptsAlso,
    together,
    connections,
    data: () => requests.filter(({ path }) => path.startsWith("/api")),
    tokenRequests: () => requests.filter(({ path }) => path === "/oauth/token/").length,
  };
}

function send(answer: Answer, response: ServerResponse, request: IncomingMessage): void {
  if (typeof answer === "function") {
    answer(response, request);
    return;
  }
  const { status = 200, headers = {}, json, body = JSON.stringify(json) } = answer;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

export interface Client {
  api: SurveyApi;
  /** What the client slept for, in milliseconds, instead of sleeping. */
  slept: number[];
  /** Milliseconds since the epoch; sleeping adds to it. */
  time: { now: number };
  store: { kept: StoredToken | undefined; reads: number; writes: number };
  credentialsRead: () => number;
}

/** A client of that service with a virtual clock: waits cost no time. */
export function clientOf(service: { url: string }, options: Partial<SurveyApiOptions> = {}): Client {
  const slept: number[] = [];
  const time = { now: Date.UTC(2026, 2, 10, 12) };
  const store: Client["store"] = { kept: undefined, reads: 0, writes: 0 };
  let credentialsRead = 0;
  const api = createSurveyApi({
    baseUrl: service.url,
    credentials: async () => {
      credentialsRead += 1;
      return { clientId: "client", clientSecret: CLIENT_SECRET };
    },
    tokenStore: {
      read: async () => {
        store.reads += 1;
        return store.kept;
      },
      write: async (token) => {
        store.writes += 1;
        store.kept = token;
      },
    },
    timeouts: { connect: 1_000, headers: 2_000, body: 2_000 },
    now: () => time.now,
    monotonic: () => time.now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      time.now += milliseconds;
    },
    random: () => 1,
    ...options,
  });
  onTestFinished(() => api.close());
  return { api, slept, time, store, credentialsRead: () => credentialsRead };
}

/** A service, and a client of it. */
export async function startClient(options: Partial<SurveyApiOptions> = {}): Promise<Client & { service: Service }> {
  const service = await startService();
  return { service, ...clientOf(service, options) };
}

/** Hands it the token as an earlier run would have kept it, so that it asks for none. */
export function withToken(client: Client, token = TOKEN): Client {
  const { now } = client.time;
  client.store.kept = { token, obtainedAt: now, expiresAt: now + 30 * 24 * 3_600_000 };
  return client;
}

/** Gives these answers in turn, the last one for ever. */
export function inTurn(...answers: Answer[]): () => Answer {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)] ?? {};
    next += 1;
    return answer;
  };
}
