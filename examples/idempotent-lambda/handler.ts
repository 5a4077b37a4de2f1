import type { Context, EventBridgeEvent } from "aws-lambda";
import { booksClosed, type DetailOf, responseCompleted, responseUpdated } from "survey-poller/events";
import { checkBooks, keepReceipt } from "./books.ts";
import { sendLetter } from "./letter.ts";

type Subscribed = "response.completed" | "response.updated" | "books.closed";

/** One of the events that the rule lets through. `detail-type` tells which. */
export type SurveyEvent = { [T in Subscribed]: EventBridgeEvent<T, DetailOf<T>> }[Subscribed];

/** Sends one letter for each response, and knows whether it has had all of them. An error makes Lambda try again. */
export async function handler(event: SurveyEvent, context: Context): Promise<void> {
  switch (event["detail-type"]) {
    case "response.completed": {
      const completed = responseCompleted.parse(event.detail);
      await sendLetter(completed, context);
      // The receipt comes last: an event counts as had once its work is done.
      return keepReceipt(completed);
    }
    case "response.updated":
      return keepReceipt(responseUpdated.parse(event.detail));
    case "books.closed":
      return checkBooks(booksClosed.parse(event.detail));
  }
}
