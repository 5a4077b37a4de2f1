import { type AnswersUrlOptions, readEnvelope, typeOf, webhookId, withAnswersUrl } from "./event.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { type Answer, post } from "./post.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** An endpoint, as every delivery to it needs it. */
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
 * @param patience milliseconds for the endpoint to answer
 * @throws WebhookSecretError when a secret is missing
 */
export async function attempt(
  endpoint: Endpoint,
  { body, otherId, patience, readsAnswer = false }: AttemptInput,
): Promise<Attempt> {
  const event = readEnvelope(body);
  const id = webhookId(event, otherId);
  const type = typeOf(event);
  const proof = await endpoint.secrets.current();
  const delivery = { id, at: new Date(endpoint.now()), body: await withAnswersUrl(body, event, endpoint.answers) };
  const answer = await post(delivery, {
    url: endpoint.url,
    proof,
    userAgent: "survey-poller",
    type,
    signal: endpoint.deadline(patience),
    readsAnswer,
  });
  // It refuses the signature or the credentials: the secret may have been changed meanwhile.
  if (answer.status === 401 || answer.status === 403) endpoint.secrets.refused();
  return { ...answer, eventId: id, type, outcome: outcomeOf(answer.status) };
}

export interface AttemptInput {
  body: string;
  /** For an event that has no id of its own. */
  otherId: string;
  patience: number;
  readsAnswer?: boolean;
}
