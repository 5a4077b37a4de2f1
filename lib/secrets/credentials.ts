import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import { type Credentials, CredentialsMissingError } from "../survey-api/index.ts";
import { readSecret } from "./secret-values.ts";

const credentialsSchema = z.looseObject({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** The credentials of a source: the secret holds `{"clientId":"…","clientSecret":"…"}`. Read anew each time. */
export async function readCredentials(client: SecretsManagerClient, secretId: string): Promise<Credentials> {
  const text = await readSecret(client, secretId);
  if (text === undefined) {
    throw new CredentialsMissingError("the credentials secret has no value yet", {
      hint: 'Put {"clientId":"…","clientSecret":"…"} into the secret named in the stack\'s output CredentialsSecretName.',
    });
  }
  const parsed = credentialsSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new CredentialsMissingError("the credentials secret is not of the form that is needed", {
      hint: 'It must be the JSON {"clientId":"…","clientSecret":"…"}, both not empty.',
    });
  }
  return { clientId: parsed.data.clientId, clientSecret: parsed.data.clientSecret };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
