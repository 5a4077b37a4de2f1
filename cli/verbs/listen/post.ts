import { errorCode } from "../../../lib/errors.ts";
import { DETAIL_TYPE } from "../../../lib/events/contract.ts";
import { readEnvelope } from "../../hearing/envelope.ts";
import type { Io } from "../../io.ts";
import type { ListenAnswer } from "./answer.ts";

/** Milliseconds that EventBridge waits for an endpoint. */
const PATIENCE = 5_000;

export interface Posting extends Pick<Io, "now" | "signal"> {
  url: URL;
  /** Gives `webhook-signature` for an id, a time and a body. */
  sign: (id: string, at: Date, body: string) => string;
}

/**
 * Posts an event once, as a deployed webhook does: the whole envelope as JSON, by the header of a webhook without `auth`. With it go the headers
 * of the Standard Webhooks specification, https://www.standardwebhooks.com.
 */
export async function post(body: string, { url, sign, now, signal }: Posting): Promise<ListenAnswer> {
  const event = readEnvelope(body);
  const at = new Date(now());
  const eventId = event?.detail.meta.eventId ?? null;
  const id = eventId ?? "unknown";
  const about = {
    at: at.toISOString(),
    type: event?.["detail-type"] ?? null,
    eventId,
    responseId: event?.detail.data.responseId ?? null,
  };
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
      headers: {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "survey-poller listen",
        "x-survey-poller": DETAIL_TYPE,
        "webhook-id": id,
        "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
        "webhook-signature": sign(id, at, body),
      },
      body,
    });
    const milliseconds = took();
    await answer.body?.cancel();
    return { ...about, status: answer.status, milliseconds, outcome: outcomeOf(answer.status), problem: null };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { ...about, status: null, milliseconds: took(), outcome: "retried", problem: codeOf(cause) };
  }
}

/** What EventBridge does with an answer of an API destination. */
function outcomeOf(status: number): ListenAnswer["outcome"] {
  if (status >= 200 && status < 300) return "taken";
  return [401, 407, 409, 429].includes(status) || status >= 500 ? "retried" : "given-up";
}

function codeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return name === "TimeoutError" || name === "AbortError" ? name : errorCode(error);
}
