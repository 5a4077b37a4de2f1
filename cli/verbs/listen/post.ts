import { outcomeOf } from "../../../lib/webhooks/outcome.ts";
import { PATIENCE, post as postOnce } from "../../../lib/webhooks/post.ts";
import { readEnvelope } from "../../hearing/envelope.ts";
import type { Io } from "../../io.ts";
import type { ListenAnswer } from "./answer.ts";

export interface Posting extends Pick<Io, "now" | "signal"> {
  url: URL;
  /** The signing secret. */
  secret: string;
}

/** Posts an event once, by the code with which a deployed webhook with `signing` does it. */
export async function post(body: string, { url, secret, now, signal }: Posting): Promise<ListenAnswer> {
  const event = readEnvelope(body);
  const at = new Date(now());
  const eventId = event?.detail.meta.eventId ?? null;
  const type = event?.["detail-type"] ?? null;
  const { status, milliseconds, problem } = await postOnce(
    { id: eventId ?? "unknown", at, body },
    {
      url,
      proof: { signWith: [secret], headers: {} },
      userAgent: "survey-poller listen",
      type: type ?? "unknown",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    },
  );
  const responseId = event?.detail.data.responseId ?? null;
  return { at: at.toISOString(), type, eventId, responseId, status, milliseconds, outcome: outcomeOf(status), problem };
}
