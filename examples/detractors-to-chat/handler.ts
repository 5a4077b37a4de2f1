import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { EventBridgeEvent } from "aws-lambda";
import { type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { messageOf } from "./message.ts";

const secrets = new SecretsManagerClient({});
/** URL of the chat's incoming webhook, once it was read. Whoever has it can post, so no error repeats it. */
let known: string | undefined;

/** Posts one message to the chat. An error makes Lambda try again. */
export async function handler({ detail }: EventBridgeEvent<"response.completed", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const { WITH_COMMENT, LINK_TEMPLATE: linkTemplate = "" } = process.env;
  const text = messageOf(event, { withComment: WITH_COMMENT === "true", linkTemplate });
  const answer = await fetch(await chatUrl(), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.ok) return;
  // The URL may have been replaced: the next attempt reads it anew.
  known = undefined;
  throw new Error(
    `The chat answered ${answer.status}. Check that the secret holds the URL of a webhook that is still active.`,
  );
}

async function chatUrl(): Promise<string> {
  if (known !== undefined) return known;
  const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: process.env.SECRET_NAME }));
  const url = SecretString.trim();
  if (!URL.canParse(url))
    throw new Error("The secret holds no URL. Put the URL alone into it, without quotes or JSON.");
  known = url;
  return url;
}
