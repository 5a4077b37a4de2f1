import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import { masked } from "../cli/hearing/event.ts";
import { errorCode } from "../errors.ts";
import { InvalidEventPatternError } from "../local/aws/event-bridge/matcher.ts";
import { listenHere } from "../local/listen.ts";
import { type Asked, asked } from "./actions.ts";
import { type Assets, ICON, INDEX } from "./assets.ts";
import { MASK } from "./changes.ts";
import type { Events } from "./events.ts";
import type { Feed } from "./feed.ts";
import type { RuleView } from "./rules.ts";
import type { Story } from "./story.ts";

export interface AppOptions {
  feed: Feed;
  events: Pick<Events, "find" | "match">;
  assets(): Promise<Assets>;
  token: string;
  /** Rules on the bus; rejects while they cannot be read. */
  rules(): Promise<RuleView[]>;
  /** Undefined for an event that is not kept any more. */
  story(eventId: string): Promise<Story | undefined>;
  /** Has the poller do something; absent where the page may only read. Gives what became of it. */
  action?: ((of: Asked) => Promise<string[]>) | undefined;
  /** Pulls a knob, and gives whether there is such a one; absent where there are no troubles to be made. */
  pull?: ((kind: string) => Promise<boolean>) | undefined;
}

/** Bytes. No pattern is longer. */
const LONGEST_BODY = 100_000;

/** Everything the page asks for. Without the token it gets the page itself, and nothing that it shows. */
export function createApp({ feed, events, assets, token, rules, story, action, pull }: AppOptions): Hono {
  const app = new Hono();
  app.use(strictHeaders, onlyFromHere);
  app.get("/", (c) => c.html(INDEX));
  app.get("/main.js", async (c) => c.body((await assets()).script, 200, { "Content-Type": "text/javascript" }));
  app.get("/style.css", async (c) => c.body((await assets()).style, 200, { "Content-Type": "text/css" }));
  app.get("/icon.svg", (c) => c.body(ICON, 200, { "Content-Type": "image/svg+xml" }));

  app.use(bearerAuth({ token, headerName: TOKEN_HEADER, prefix: "" }), bodyLimit({ maxSize: LONGEST_BODY }));
  app.get("/feed", (c) =>
    streamSSE(c, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      for await (const change of feed.frames(gone.signal)) await stream.writeSSE({ data: JSON.stringify(change) });
    }),
  );
  const ifKept = (c: Context, found: object | undefined) =>
    found === undefined ? c.json({ error: "This event is not kept any more." }, 404) : c.json(found);
  app.get("/events/:eventId", (c) => {
    const found = events.find(c.req.param("eventId"));
    return ifKept(c, found && masked({ ...found.envelope }, MASK));
  });
  app.get("/stories/:eventId", async (c) => ifKept(c, await story(c.req.param("eventId"))));
  app.post("/reveal/:eventId", (c) => ifKept(c, events.find(c.req.param("eventId"))?.envelope));

  app.get("/rules", async (c) =>
    c.json(await rules().catch(() => ({ error: "The rules on the bus cannot be read now." }))),
  );
  app.post("/match", async (c) => {
    const pattern = await c.req.json<unknown>().catch(() => undefined);
    try {
      return c.json(events.match(pattern));
    } catch (error) {
      if (!(error instanceof InvalidEventPatternError)) throw error;
      return c.json({ error: error.message }, 400);
    }
  });
  app.post("/actions", async (c) => {
    if (action === undefined) return c.json({ error: "This page may not do that." }, 403);
    const of = asked.safeParse(await c.req.json<unknown>().catch(() => undefined));
    return of.success ? c.json({ lines: await action(of.data) }) : c.json({ error: "What is meant?" }, 400);
  });
  app.post("/trouble/:kind", async (c) => {
    const isPulled = (await pull?.(c.req.param("kind"))) === true;
    return isPulled ? c.json({ pulled: true }) : c.json({ error: "There is no such trouble here." }, 404);
  });
  return app;
}

const TRIED = 50;

/** Serves on 127.0.0.1, at this port or the next that is free. */
export async function serve(app: Hono, from: number) {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // It keeps no run from ending.
  server.unref();
  for (let port = from; ; port += 1) {
    try {
      return await listenHere(server, port);
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE" || port >= from + TRIED) throw error;
    }
  }
}

/** The policy of what the page may load: this server's files, and nothing else. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

export const TOKEN_HEADER = "x-console-token";

const OWN_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Answers only who asks for this machine by its own name: a page of somebody else's, whose name leads here, gets nothing. */
const onlyFromHere: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? "";
  const origin = c.req.header("origin");
  if (!OWN_NAMES.has(host.replace(/:\d+$/, ""))) return c.text("This page is served on this machine alone.", 403);
  if (origin !== undefined && origin !== `http://${host}`) return c.text("Asked from another page.", 403);
  await next();
};

const strictHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("Content-Security-Policy", POLICY);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cross-Origin-Resource-Policy", "same-origin");
  c.header("Cache-Control", "no-store");
};

/** The token of a page. It is kept with the state of a run, if any: a page that is open goes on when its run comes back. */
export function tokenFor(folder: string | undefined): string {
  const file = folder === undefined ? undefined : join(folder, "console-token");
  if (file !== undefined && existsSync(file)) {
    const kept = readFileSync(file, "utf8");
    if (/^[\w-]{22}$/.test(kept)) return kept;
  }
  const token = randomBytes(16).toString("base64url");
  // Nobody else on this machine may read it.
  if (file !== undefined) writeFileSync(file, token, { mode: 0o600 });
  return token;
}
