import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { type Change, type Snapshot, withChange } from "../changes.ts";

export interface Refused {
  error: string;
}

/** The end of the printed URL, without which the server gives and does nothing. */
const token = { "x-console-token": location.hash.slice(1) };

/** What the server shows; or what it does, or shows of what is personal, where there is a body. */
export async function ask<T>(path: string, body?: unknown): Promise<T | Refused> {
  const headers = { ...token, "content-type": "application/json" };
  const how = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(path, how).catch(() => undefined);
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

/**
 * The answer to a question; null until it is there.
 *
 * @param key another one asks anew
 * @param again milliseconds after which it is asked again, if an answer says so
 */
export function useAnswer<T>(
  key: string,
  ask: () => Promise<T | Refused>,
  again: (answer: T | Refused) => number | undefined = () => undefined,
): T | Refused | null {
  const [answer, setAnswer] = useState<T | Refused | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const next = async (): Promise<void> => {
      const found = await ask();
      if (isOver) return;
      setAnswer(found);
      const wait = again(found);
      if (wait !== undefined) timer = setTimeout(next, wait);
    };
    void next();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key]);
  return answer;
}

/** Milliseconds between two attempts, and after which a connection that has gone silent is made anew. */
const AGAIN = 1_000;
const TRY_AGAIN = 3_000;

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
  const { status, body } = await fetch("/feed", { headers: token, signal });
  isLockedOut.value = status === 401;
  if (status !== 200 || body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, data = "{}"] = /^data: ([^\n]*)/.exec(frame) ?? [];
      const change = JSON.parse(data) as Change;
      heardAt.value = Date.now();
      const before = snapshot.peek();
      // The first frame of each connection has all there is.
      if ("run" in change) snapshot.value = change as Snapshot;
      else if (before !== null) snapshot.value = withChange(before, change);
    }
  }
}

/** Milliseconds of silence after which the page says that it has heard nothing. */
const SILENCE = 6_000;

export const snapshot = signal<Snapshot | null>(null);
/** When something was heard last, by the clock of the browser. */
const heardAt = signal(Date.now());
/** The clock of the page: what is said in seconds grows with it. */
export const now = signal(Date.now());
/** Oldest first. */
export const events = computed(() => snapshot.value?.events ?? []);

export const silentFor = computed(() => Math.max(0, now.value - heardAt.value));
export const isSilent = computed(() => silentFor.value >= SILENCE);
/** Whether the server does not know the token: nothing is shown then. */
export const isLockedOut = signal(false);
export const isDemo = computed(() => (snapshot.value?.troubles.length ?? 0) > 0);

export interface Matches {
  /** Of the events, by their numbers, and out of how many. */
  numbers: ReadonlySet<number>;
  of: number;
  error: string;
}

const none = (error: string): Matches => ({ numbers: new Set(), of: 0, error });

/**
 * The events that a pattern matches, which the server knows: it has them whole. Asked again when there are new ones, one question at a time.
 *
 * @param pattern as JSON; "" while there is none
 * @returns null while nothing is known
 */
export function matchesOf(pattern: ReadonlySignal<string>): ReadonlySignal<Matches | null> {
  const found = signal<Matches | null>(null);
  let asked = "";
  let isAsking = false;

  async function ask(text: string): Promise<void> {
    isAsking = true;
    const answer = await match(text);
    isAsking = false;
    if (pattern.peek() === text) found.value = answer;
  }

  effect(() => {
    const text = pattern.value;
    const question = `${snapshot.value?.run} ${events.value.at(-1)?.number} ${text}`;
    // Looked at again at each beat of the page's clock: while a question is open no other is asked.
    void now.value;
    if (isAsking || question === asked) return;
    asked = question;
    if (text === "") found.value = null;
    else void ask(text);
  });
  return found;
}

async function match(text: string): Promise<Matches> {
  let pattern: unknown;
  try {
    pattern = JSON.parse(text);
  } catch {
    return none("This is no JSON yet.");
  }
  const answer = await ask<{ numbers: number[]; of: number }>("/match", pattern);
  return isRefused(answer) ? none(answer.error) : { ...answer, numbers: new Set(answer.numbers), error: "" };
}
