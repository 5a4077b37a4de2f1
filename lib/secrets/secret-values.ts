import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";

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
