import { errorCode } from "../errors.ts";
import { type Delivery, signedHeaders } from "./signature.ts";
import type { Proof } from "./webhook-secrets.ts";

/** Milliseconds that an endpoint has to answer. */
export const PATIENCE = 30_000;

/** Characters of an answer that somebody is shown. */
const SHOWN = 200;

interface PostOptions {
  url: string | URL;
  proof: Proof;
  userAgent: string;
  /** Of the event. */
  type: string;
  signal: AbortSignal;
  /** Whether the first line of what is answered is wanted; else nothing of it is read. */
  readsAnswer?: boolean;
}

/** How an endpoint answered. It holds nothing of the URL, whose query may be a key. */
export interface Answer {
  /** Null where no answer came. */
  status: number | null;
  milliseconds: number;
  /** Why no answer came: a code. */
  problem: string | null;
  /** Milliseconds that the endpoint asks to be left alone. */
  retryAfter: number | undefined;
  firstLine: string | undefined;
}

/** Posts an event once. Redirects are not followed: the event is meant for this address and no other. */
export async function post(delivery: Delivery, options: PostOptions): Promise<Answer> {
  const { url, proof, userAgent, type, signal, readsAnswer = false } = options;
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: {
        ...proof.headers,
        "content-type": "application/json; charset=utf-8",
        "user-agent": userAgent,
        "x-survey-poller": type,
        // A function is frozen between two events, while the server closes the connections that it kept.
        connection: "close",
        ...signedHeaders(delivery, proof.signWith),
      },
      body: delivery.body,
    });
    const milliseconds = took();
    const firstLine = readsAnswer ? await firstLineOf(answer) : undefined;
    // What follows is of no use, and an endpoint that is slow with it has answered all the same.
    await answer.body?.cancel().catch(() => undefined);
    const retryAfter = retryAfterOf(answer.headers.get("retry-after"), delivery.at);
    return { status: answer.status, milliseconds, problem: null, retryAfter, firstLine };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return {
      status: null,
      milliseconds: took(),
      problem: codeOf(cause),
      retryAfter: undefined,
      firstLine: undefined,
    };
  }
}

/** Of a port that no fetch may ask, such as 9, the error has no code. */
function codeOf(cause: unknown): string {
  return cause instanceof Error && cause.message === "bad port" ? "BadPort" : errorCode(cause);
}

/** Seconds or a date. */
function retryAfterOf(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

async function firstLineOf({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes("\n") || text.length >= SHOWN) break;
    }
  } catch {
    // What came until then is shown.
  }
  const [line = ""] = text.split(/\r?\n/);
  const shown = line.replaceAll(/\p{Cc}/gu, " ").slice(0, SHOWN);
  return shown.trim() || undefined;
}
