import { isObject } from "./irregular.ts";

/** How the answers of operation 9 relate to those joined from pages. */
export type Comparison = "equal" | "more" | "different";

/**
 * Response records in the body of operation 9, whose shape the API document does not show: an array of records, or one
 * object (bare, in an array, or beside its head) that lists the answers, as an array or keyed by question. Undefined when
 * there are none to be found.
 */
export function readSingleResponse(body: unknown, responseId: number): Record<string, unknown>[] | undefined {
  const head: Record<string, unknown> = { responseId };
  const answers = findAnswers(body, head, 0);
  return answers?.map((answer) => ({ ...head, ...answer }));
}

/** Collects what stands beside the answers into `head`, as every listed record repeats it. */
function findAnswers(
  value: unknown,
  head: Record<string, unknown>,
  depth: number,
): Record<string, unknown>[] | undefined {
  if (depth > 3) return undefined;
  const items = answersIn(value);
  if (items !== undefined) return items;
  if (Array.isArray(value)) return value.length === 1 ? findAnswers(value[0], head, depth + 1) : undefined;
  if (!isObject(value)) return undefined;
  let found: Record<string, unknown>[] | undefined;
  for (const [name, field] of Object.entries(value)) {
    const answers = found === undefined && isHolder(name) ? findAnswers(field, head, depth + 1) : undefined;
    if (answers !== undefined) found = answers;
    else if (isObject(field) && name === "response") Object.assign(head, field);
    else if (!isHolder(name)) head[name] = field;
  }
  return found;
}

const holders = new Set(["answers", "records", "questions", "data", "response", "responses", "result"]);
const isHolder = (name: string): boolean => holders.has(name);

function answersIn(value: unknown): Record<string, unknown>[] | undefined {
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return items.length > 0 && items.every((item) => isObject(item) && "questionId" in item)
    ? (items as Record<string, unknown>[])
    : undefined;
}

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

function keyOf(record: unknown): string {
  if (!isObject(record)) return JSON.stringify(record);
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify([questionId, answer, comment, score, matrixScore]);
}
