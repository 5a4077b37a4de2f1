import type { EventBridgeEvent } from "aws-lambda";
import { type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { chatUrl, forgetChatUrl } from "./chat-url.ts";
import { messageOf } from "./message.ts";

/** Posts one message to the chat. An error makes Lambda try again. */
export async function handler({ detail }: EventBridgeEvent<"response.completed", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const text = messageOf(event, process.env.WITH_COMMENT === "true");
  const answer = await fetch(await chatUrl(), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.ok) return;
  // The URL may have been replaced: the next attempt reads it anew.
  forgetChatUrl();
  throw new Error(
    `The chat answered ${answer.status}. Check that the secret holds the URL of a webhook that is still active.`,
  );
}
