import { clock } from "../../words.ts";
import type { Io } from "../../io.ts";
import type { ListenAnswer } from "./answer.ts";

const LOOKS = {
  taken: { colour: "green", note: "" },
  retried: { colour: "yellow", note: "  a deployed webhook would try again" },
  "given-up": { colour: "red", note: "  a deployed webhook would give up: to the dead-letter queue" },
} as const;

/** "14:01:10 response.completed 43210 → 200 in 12 ms". */
export function answerLine(answer: ListenAnswer, { style }: Pick<Io, "style">): string {
  const { colour, note } = LOOKS[answer.outcome];
  const what = [clock(Date.parse(answer.at)), answer.type ?? "unknown", answer.responseId ?? ""].join(" ").trimEnd();
  const result = style(colour, answer.status === null ? `no answer (${answer.problem})` : `${answer.status}`);
  return `${what} → ${result} in ${answer.milliseconds} ms${note}`;
}
