import type { Chooser } from "./chooser.ts";

const HOUR = 3_600_000;

export type WordsPlan = ReturnType<typeof planWords>;

/** How the questions of a survey read, and what becomes of them. */
export function planWords(chooser: Chooser, span: number, interval: number) {
  const { random } = chooser;
  const from = random.next() * span * 0.7;
  const to = Math.min(span, from + interval * (1 + random.next() * 12));
  const how = random.pick(["status", "error body", "gone"] as const);
  return {
    /** By what number answers name the first choice, and how much of that the definition tells. */
    base: chooser.option("index-base", { one: 1, zero: 1 }) === "zero" ? (0 as const) : (1 as const),
    evidence: chooser.option("index-base-evidence", { told: 6, untold: 1, contradictory: 1 }),
    isHtml: chooser.flag("html-questions", 0.5),
    /** Milliseconds after which somebody edits the survey again. */
    editedEvery: HOUR * Number(chooser.option("survey-edits", { 72: 3, 4: 3, 0.7: 1 })),
    /** Milliseconds from the beginning: while its definition fails. */
    fails: chooser.flag("questions-fail", 0.15) ? { from, to, how } : undefined,
  };
}
