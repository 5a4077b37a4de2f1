import { COUNTED, type StatusAnswer } from "../cli/verbs/status/answer.ts";
import { surveyKey } from "./changes.ts";

export const PARTS = ["emitted", "beforeStart", ...COUNTED, "unaccounted"] as const;
export type Part = (typeof PARTS)[number];

export type Figures = Record<Part, number>;

/**
 * The figures of now. What is not settled the ledger counts. What is emitted is what was emitted when the books were closed, or in a first read
 * so far, and what has been heard on the bus since.
 */
export function figuresOf(
  status: Pick<StatusAnswer, "surveys"> | null,
  emittedSince: Readonly<Record<string, number>>,
): Figures {
  const figures = Object.fromEntries(PARTS.map((part) => [part, 0])) as Figures;
  const unseen = { ...emittedSince };
  for (const { source, surveyId, books, backlog, unaccounted, now } of status?.surveys ?? []) {
    const key = surveyKey(source, surveyId);
    const since = unseen[key] ?? 0;
    delete unseen[key];
    figures.emitted += backlog?.emitted ?? (books?.emitted ?? 0) + since;
    figures.beforeStart += books?.beforeStart ?? 0;
    figures.unaccounted += unaccounted;
    for (const part of COUNTED) figures[part] += now[part];
  }
  // Until a first tick has come to its end, its surveys are known by their events alone.
  for (const since of Object.values(unseen)) figures.emitted += since;
  return figures;
}
