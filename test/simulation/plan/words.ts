import type { Random } from "../engine/random.ts";
import type { Chooser } from "./chooser.ts";

/** How the questions of a survey read, and what becomes of them. */
export interface WordsPlan {
  /** By what number answers name the first choice, and how much of that the definition tells. */
  base: 0 | 1;
  evidence: "told" | "untold" | "contradictory";
  isHtml: boolean;
  /** Milliseconds after which somebody edits the survey again. */
  editedEvery: number;
  /** Milliseconds from the beginning: while its definition fails. */
  fails: { from: number; to: number; how: "status" | "error body" | "gone" } | undefined;
}

const HOUR = 3_600_000;

export function planWords(
  chooser: Chooser,
  random: Random,
  { span, interval }: { span: number; interval: number },
): WordsPlan {
  const from = random.next() * span * 0.7;
  const to = Math.min(span, from + interval * (1 + random.next() * 12));
  const how = random.pick(["status", "error body", "gone"] as const);
  return {
    base: chooser.option("index-base", { one: 1, zero: 1 }) === "zero" ? 0 : 1,
    evidence: chooser.option("index-base-evidence", { told: 6, untold: 1, contradictory: 1 }),
    isHtml: chooser.flag("html-questions", 0.5),
    editedEvery: HOUR * Number(chooser.option("survey-edits", { 72: 3, 4: 3, 0.7: 1 })),
    fails: chooser.flag("questions-fail", 0.15) ? { from, to, how } : undefined,
  };
}
