import type { Change, Snapshot } from "../changes.ts";
import { withToken } from "./ask.ts";
import { apply, begin, heardAt, isLockedOut, isSilent, now } from "./state.ts";

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
