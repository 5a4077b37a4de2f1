import { Webhook } from "standardwebhooks";

/** Bytes that a signing secret has, by the Standard Webhooks specification. */
const BYTES = { least: 24, most: 64 };

/** The form of a signing secret, for hints. */
export const SECRET_FORM = "whsec_ and 24 to 64 bytes as base64";

export function isSigningSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, "base64").length;
  return bytes >= BYTES.least && bytes <= BYTES.most;
}

/** What is posted in one attempt. */
export interface Delivery {
  /** The event id: the same in each attempt, so that the endpoint can tell a repeat. */
  id: string;
  /** Of this attempt: a verifier refuses what is older than five minutes. */
  at: Date;
  body: string;
}

/**
 * The headers of the Standard Webhooks specification, https://www.standardwebhooks.com. There is one signature for each secret: while two are
 * in rotation, an endpoint that knows either of them takes the request. Without a secret there is none, and the id tells a repeat all the same.
 */
export function signedHeaders({ id, at, body }: Delivery, secrets: readonly string[]): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
    ...(secrets.length === 0
      ? {}
      : { "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" ") }),
  };
}
