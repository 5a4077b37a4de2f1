import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";

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

/** The header in which a page shows the token of the printed URL. */
export const TOKEN_HEADER = "x-console-token";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Answers only who asks for this machine by its own name: a page of somebody else's, whose name leads here, gets nothing. */
export const onlyFromHere: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? "";
  const origin = c.req.header("origin");
  if (!LOOPBACK.has(host.replace(/:\d+$/, ""))) return c.text("This page is served on this machine alone.", 403);
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
  const wanted = Buffer.from(token);
  return async (c, next) => {
    const shown = Buffer.from(c.req.header(TOKEN_HEADER) ?? "");
    const isRight = shown.length === wanted.length && timingSafeEqual(shown, wanted);
    if (!isRight) return c.json({ error: "Open the URL that was printed: it holds the token." }, 401);
    await next();
  };
}
