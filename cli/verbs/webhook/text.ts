import type { Io } from "../../io.ts";
import type { WebhookTestAnswer } from "./answer.ts";

const LOOKS = {
  taken: { colour: "green", note: "The endpoint has taken it." },
  retried: { colour: "yellow", note: "An event would be tried again." },
  "given-up": { colour: "red", note: "An event would be given up: to the dead-letter queue." },
} as const;

export function textOf(
  { dryRun, webhook, endpoint, type, kind, eventId, delivery }: WebhookTestAnswer,
  { style }: Pick<Io, "style">,
): string[] {
  const what = `${type} (${kind}), event id ${eventId}`;
  if (dryRun || delivery === null) return [`To webhook ${webhook} at ${endpoint}: ${what}.`];
  const { status, milliseconds, problem, outcome, firstLine } = delivery;
  const { colour, note } = LOOKS[outcome];
  const result = style(colour, status === null ? `no answer (${problem})` : `${status}`);
  return [
    `Posted ${what}, to webhook ${webhook} at ${endpoint}.`,
    `${result} in ${milliseconds} ms. ${note}`,
    ...(firstLine === null ? [] : [`It says: ${firstLine}`]),
  ];
}
