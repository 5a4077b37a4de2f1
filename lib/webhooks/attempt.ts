import { type AnswersUrlOptions, aboutEvent, readEnvelope, withAnswersUrl } from "./event.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { type Answer, post } from "./post.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

export interface Endpoint {
  url: string;
  secrets: WebhookSecrets;
  answers: AnswersUrlOptions;
  now: () => number;
  /** Ends a request after so many milliseconds. */
  deadline: (milliseconds: number) => AbortSignal;
}

export interface Attempt extends Answer {
  eventId: string;
  type: string;
  outcome: Outcome;
}

/**
 * Posts one event.
 *
 * @param otherId for an event that has no id of its own
 * @param patience milliseconds for the endpoint to answer
 * @throws WebhookSecretError when a secret is missing
 */
export async function attempt(
  { url, secrets, answers, now, deadline }: Endpoint,
  { body, otherId, patience, readsAnswer }: { body: string; otherId: string; patience: number; readsAnswer?: boolean },
): Promise<Attempt> {
  const event = readEnvelope(body);
  const { eventId, type } = aboutEvent(event, otherId);
  const proof = await secrets.current();
  const delivery = { id: eventId, at: new Date(now()), body: await withAnswersUrl(body, event, answers) };
  const signal = deadline(patience);
  const answer = await post(delivery, { url, proof, userAgent: "survey-poller", type, signal, readsAnswer });
  // It refuses the signature or the credentials: the secret may have been changed meanwhile.
  if (answer.status === 401 || answer.status === 403) secrets.refused();
  return { ...answer, eventId, type, outcome: outcomeOf(answer.status) };
}
