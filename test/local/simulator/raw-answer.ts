import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Client } from "./support.ts";

/** An answer byte for byte: fetch would undo its compression. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Reads with a token that the caller has from before: some settings make no token readable. */
export function rawReader({ simulator }: Client, token: string) {
  const documented = { authorization: `bearer ${token}`, "content-type": "application/json" };
  return (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    exchange(`${simulator.url}${path}`, { method: "GET", headers: { ...documented, ...headers } });
}

export function rawToken({ simulator }: Client): Promise<RawAnswer> {
  const { url, clientId, clientSecret } = simulator;
  const body = new URLSearchParams({ clientId, clientSecret }).toString();
  return exchange(`${url}/oauth/token/`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
}

async function exchange(
  url: string,
  { body = "", ...options }: { method: string; headers: Record<string, string>; body?: string },
): Promise<RawAnswer> {
  const sent = request(url, options).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: await buffer(answer) };
}
