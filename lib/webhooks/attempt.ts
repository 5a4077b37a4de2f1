import { type AnswersUrlOptions, withAnswersUrl } from "./answers-url.ts";
import { readEnvelope, typeOf, webhookId } from "./envelope.ts";
import { isSignatureRefused, type Outcome, outcomeOf } from "./outcome.ts";
import { type Answer, postSigned } from "./post-signed.ts";
import type { SigningSecrets } from "./signing-secret.ts";

const USER_AGENT = "survey-poller";

/** An endpoint, as every delivery to it needs it. */
export interface Endpoint {
  url: string;
  secrets: SigningSecrets;
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
 * Posts one event, signed.
 *
 * @param patience milliseconds for the endpoint to answer
 * @throws SigningSecretError when there is nothing to sign with
 */
export async function attempt(
  endpoint: Endpoint,
  { body, otherId, patience, readsAnswer = false }: AttemptInput,
): Promise<Attempt> {
  const event = readEnvelope(body);
  const id = webhookId(event, otherId);
  const type = typeOf(event);
  const secrets = await endpoint.secrets.current();
  const signed = { id, at: new Date(endpoint.now()), body: await withAnswersUrl(body, event, endpoint.answers) };
  const answer = await postSigned(signed, {
    url: endpoint.url,
    secrets,
    userAgent: USER_AGENT,
    type,
    signal: endpoint.deadline(patience),
    readsAnswer,
  });
  if (isSignatureRefused(answer.status)) endpoint.secrets.refused();
  return { ...answer, eventId: id, type, outcome: outcomeOf(answer.status) };
}

export interface AttemptInput {
  body: string;
  /** For an event that has no id of its own. */
  otherId: string;
  patience: number;
  readsAnswer?: boolean;
}
