import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type Credentials, CredentialsMissingError } from "../survey-api/index.ts";
import { parseJson, readSecret, refusalOf } from "./secret-values.ts";

/**
 * The credentials of a source: the secret holds `{"clientId":"…","clientSecret":"…"}`, or such an object under the name of each source that
 * shares it. Read anew each time, so that what was put there a moment ago is used.
 *
 * @throws CredentialsMissingError when there are none, or none that can be read; nothing of the value is in it
 */
export async function readCredentials(
  client: SecretsManagerClient,
  secretId: string,
  source: string,
): Promise<Credentials> {
  const text = await readSecret(client, secretId).catch((error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const message = `the credentials secret ${secretId} cannot be read (${refusal.code})`;
    throw new CredentialsMissingError(message, { cause: error, hint: refusal.hint, isUnreadable: true });
  });
  if (text === undefined) {
    throw new CredentialsMissingError(`the credentials secret ${secretId} has no value yet`, {
      hint: `Fill it with \`npx survey-poller credentials --secret ${secretId} --yes\`; the next tick reads it.`,
    });
  }
  const value = (parseJson(text) ?? {}) as Record<string, unknown>;
  const { clientId, clientSecret } = Object.hasOwn(value, source) ? (Object(value[source]) as typeof value) : value;
  if (typeof clientId !== "string" || typeof clientSecret !== "string" || clientId === "" || clientSecret === "") {
    const message = `the credentials secret ${secretId} has none of the form that is needed for source ${source}`;
    throw new CredentialsMissingError(message, {
      isUnreadable: true,
      hint: `It must be the JSON {"clientId":"…","clientSecret":"…"}, both not empty: fill it with \`npx survey-poller credentials --secret ${secretId} --yes\`. Where several sources share it, it holds that under "${source}": add \`--source ${source}\`.`,
    });
  }
  return { clientId, clientSecret };
}
