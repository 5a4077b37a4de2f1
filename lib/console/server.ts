import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono, MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { errorCode } from "../errors.ts";
import { listenHere } from "../local/listen.ts";

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
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const TOKEN_HEADER = "x-console-token";

const OWN_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Answers only who asks for this machine by its own name: a page of somebody else's, whose name leads here, gets nothing. */
export const onlyFromHere: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? "";
  const origin = c.req.header("origin");
  if (!OWN_NAMES.has(host.replace(/:\d+$/, ""))) return c.text("This page is served on this machine alone.", 403);
  if (origin !== undefined && origin !== `http://${host}`) return c.text("Asked from another page.", 403);
  await next();
};

export const strictHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("Content-Security-Policy", POLICY);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cross-Origin-Resource-Policy", "same-origin");
  c.header("Cache-Control", "no-store");
};

/** Asks for the token before anything is shown or done. */
export function withToken(token: string): MiddlewareHandler {
  return bearerAuth({ token, headerName: TOKEN_HEADER, prefix: "" });
}

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
