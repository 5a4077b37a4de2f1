import { hash } from "node:crypto";
import { isObject } from "../../events/build/fields.ts";

/** How the answers of the single read relate to those of a whole response. More: all of them and something besides; fewer: some of them. */
export type Comparison = "equal" | "more" | "fewer" | "different";

/** Compares as multisets, by the fields that an answer has. */
export function compareAnswers(listed: unknown[], single: unknown[]): Comparison {
  if (includesAll(single, listed, answerOf)) return single.length === listed.length ? "equal" : "more";
  return single.length > 0 && includesAll(listed, single, answerOf) ? "fewer" : "different";
}

/** Hashes of the answers of some records, by the fields that an answer has. */
export function hashesOf(records: unknown[]): string[] {
  return records.map((record) => hash("sha1", answerOf(record), "base64url").slice(0, 12));
}

/** Whether the answers of a response include all those that are known by their hashes. */
export function includesShown(records: unknown[], shown: string[]): boolean {
  return includesAll(hashesOf(records), shown, String);
}

/** Whether all of `some` are among `all`, as many times, as far as their keys tell. */
function includesAll(all: unknown[], some: unknown[], keyOf: (record: unknown) => string): boolean {
  const counts = new Map<string, number>();
  for (const record of all) counts.set(keyOf(record), (counts.get(keyOf(record)) ?? 0) + 1);
  return some.every((record) => {
    const left = counts.get(keyOf(record)) ?? 0;
    counts.set(keyOf(record), left - 1);
    return left > 0;
  });
}

/** The fields in which a record tells of its response as a whole. */
export function factsOf(record: unknown): Record<string, unknown> {
  const fields = isObject(record) ? record : {};
  const { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode } = fields;
  return { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode };
}

function answerOf(record: unknown): string {
  if (!isObject(record)) return JSON.stringify(record);
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify([questionId, answer, comment, score, matrixScore]);
}
