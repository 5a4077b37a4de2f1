import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { errorCode } from "../errors.ts";

/** Codes of Secrets Manager that last until a person acts, each with the thing to do. */
const REFUSALS: Record<string, string> = {
  AccessDeniedException: "Look at the function's permission to read it, and at that for the key it is encrypted with.",
  DecryptionFailure: "Look at the key it is encrypted with: is it enabled, and may the function use it?",
  InvalidRequestException: "Is it marked for deletion? `aws secretsmanager restore-secret` brings it back.",
};

/** The secret's text; undefined while it has no value (or does not exist). One that was put there as bytes is read as UTF-8. */
export async function readSecret(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    const { SecretString: text, SecretBinary: bytes } = await client.send(
      new GetSecretValueCommand({ SecretId: secretId }),
    );
    return text ?? (bytes === undefined ? undefined : new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

export async function writeSecret(client: SecretsManagerClient, secretId: string, value: string): Promise<void> {
  await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: value }));
}

/** The reason that a secret cannot be read until a person acts. Undefined for a failure that passes. */
export function refusalOf(error: unknown): { code: string; hint: string } | undefined {
  const code = errorCode((error as { cause?: unknown } | null)?.cause ?? error);
  const hint = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  return hint === undefined ? undefined : { code, hint };
}

/** A secret's text as JSON; undefined for what is none. No error, since its message would quote the secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
