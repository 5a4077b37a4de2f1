import { isObject } from "./irregular.ts";

/** How the answers of the single-response operation relate to those joined from pages. */
export type Comparison = "equal" | "more" | "different";

/** Compares as multisets, by the fields that an answer has; more: all of `joined` and something besides. */
export function compareAnswers(joined: unknown[], single: unknown[]): Comparison {
  const counts = new Map<string, number>();
  for (const record of single) counts.set(keyOf(record), (counts.get(keyOf(record)) ?? 0) + 1);
  for (const record of joined) {
    const left = counts.get(keyOf(record)) ?? 0;
    if (left === 0) return "different";
    counts.set(keyOf(record), left - 1);
  }
  return single.length === joined.length ? "equal" : "more";
}

/** Whether the records of both say the same of their response as a whole, as far as an event tells it. */
export function sameFacts(joined: unknown[], single: unknown[]): boolean {
  const keys = (records: unknown[]): string[] => records.map((record) => JSON.stringify(factsOf(record))).sort();
  return JSON.stringify(keys(joined)) === JSON.stringify(keys(single));
}

/** What a record says of its response as a whole. */
export function factsOf(record: unknown): Record<string, unknown> {
  const fields = isObject(record) ? record : {};
  const { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode } = fields;
  return { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode };
}

function keyOf(record: unknown): string {
  if (!isObject(record)) return JSON.stringify(record);
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify([questionId, answer, comment, score, matrixScore]);
}
