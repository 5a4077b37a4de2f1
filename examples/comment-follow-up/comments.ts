import type { Answer } from "survey-poller/events";

/** Characters. An execution takes 256 KB of input, and one character has at most three bytes of UTF-8, or six as an escape in JSON. */
const LONGEST = 20_000;

/** All comments of a response, each below its question where the event has its text. */
export function commentsOf(answers: readonly Answer[]): string {
  const text = answers
    .filter(({ comment }) => comment !== "")
    .map(({ question, comment }) => (question?.text ? `${question.text}\n${comment}` : comment))
    .join("\n\n");
  // A cut may halve a character such as an emoji, and half a one is no text that a table takes.
  return (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`).toWellFormed();
}
