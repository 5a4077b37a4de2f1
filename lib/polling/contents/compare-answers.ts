import { isObject } from "../model/irregular.ts";
import { NONE_VOLATILE, type VolatileFields } from "../model/volatile-fields.ts";

/** How the answers of the single-response operation relate to those joined from pages. */
export type Comparison = "equal" | "more" | "different";

/** Which fields are not compared. */
type Ignored = Pick<VolatileFields, "has">;

/** Compares as multisets, by the fields that an answer has; more: all of `joined` and something besides. */
export function compareAnswers(joined: unknown[], single: unknown[], ignored: Ignored = NONE_VOLATILE): Comparison {
  if (!includesAll(single, joined, (record) => keyOf(record, ignored))) return "different";
  return single.length === joined.length ? "equal" : "more";
}

/**
 * Whether what the joined records say of their response as a whole is said by as many of the single operation's, as far as an event
 * tells it: that one may have more records.
 */
export function sameFacts(joined: unknown[], single: unknown[], ignored: Ignored = NONE_VOLATILE): boolean {
  return includesAll(single, joined, (record) => JSON.stringify(Object.values(without(factsOf(record), ignored))));
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

/** What a record says of its response as a whole. */
export function factsOf(record: unknown): Record<string, unknown> {
  const fields = isObject(record) ? record : {};
  const { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode } = fields;
  return { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode };
}

function keyOf(record: unknown, ignored: Ignored): string {
  if (!isObject(record)) return JSON.stringify(record);
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify(Object.values(without({ questionId, answer, comment, score, matrixScore }, ignored)));
}

function without(fields: Record<string, unknown>, ignored: Ignored): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ignored.has(name)));
}
