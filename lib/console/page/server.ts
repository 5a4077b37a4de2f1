import type { Change, Snapshot } from "../changes.ts";
import { apply, begin, heardAt, isLockedOut, isSilent, now, token } from "./state.ts";

export interface Refused {
  error: string;
}

/** Shows the server the token of the printed URL, without which it gives and does nothing. */
function withToken(headers: Record<string, string> = {}): Record<string, string> {
  return { "x-console-token": token, ...headers };
}

export async function look<T>(path: string): Promise<T | Refused> {
  return answer(fetch(path, { headers: withToken() }));
}

/** Has the server do something, or show what is personal. */
export async function act<T>(path: string, body: unknown = {}): Promise<T | Refused> {
  const headers = withToken({ "content-type": "application/json" });
  return answer(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answer<T>(asked: Promise<Response>): Promise<T | Refused> {
  const response = await asked.catch(() => undefined);
  if (response === undefined) return { error: "The server does not answer." };
  try {
    return (await response.json()) as T | Refused;
  } catch {
    return { error: `The server refuses that (${response.status}).` };
  }
}

export function isRefused(value: object): value is Refused {
  return "error" in value;
}

/** Milliseconds between two attempts, and after which a connection that has gone silent is made anew. */
const AGAIN = 1_000;
const TRY_AGAIN = 3_000;

/** Where the feed goes on: the id of the last frame. */
let lastId = "";

/** Listens to the server, for as long as the page is open and its token is the right one. */
export async function connect(): Promise<void> {
  let stop = new AbortController();
  let madeAt = Date.now();
  setInterval(() => {
    now.value = Date.now();
    if (isSilent.peek() && Date.now() - madeAt >= TRY_AGAIN) stop.abort();
  }, 1_000);
  // The printed URL, opened where the page was open without its token.
  addEventListener("hashchange", () => location.reload());
  while (!isLockedOut.peek()) {
    stop = new AbortController();
    madeAt = Date.now();
    await listen(stop.signal).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

/** Reads server-sent events. An EventSource of the browser can show no token. */
async function listen(signal: AbortSignal): Promise<void> {
  const headers = withToken(lastId === "" ? {} : { "last-event-id": lastId });
  const { status, body } = await fetch("/feed", { headers, signal });
  isLockedOut.value = status === 401;
  if (status !== 200 || body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) take(frame);
  }
}

function take(frame: string): void {
  const fields = new Map(frame.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  heardAt.value = Date.now();
  now.value = Math.max(now.peek(), heardAt.peek());
  const data = JSON.parse(fields.get("data") ?? "null") as unknown;
  if (fields.get("event") === "snapshot") begin(data as Snapshot);
  if (fields.get("event") === "delta") apply(data as Change[]);
  lastId = fields.get("id") ?? lastId;
}
