import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

const secrets = new SecretsManagerClient({});
let known: string | undefined;

/** URL of the chat's incoming webhook, read once by each copy of the function. Whoever has the URL can post, so no error repeats it. */
export async function chatUrl(): Promise<string> {
  if (known !== undefined) return known;
  const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: process.env.SECRET_NAME }));
  const url = SecretString.trim();
  if (!URL.canParse(url))
    throw new Error("The secret holds no URL. Put the URL alone into it, without quotes or JSON.");
  known = url;
  return url;
}

export function forgetChatUrl(): void {
  known = undefined;
}
