/** Questions that the API document leaves open, and that a look at the service can answer. */
export const QUESTIONS = [
  ...["token shape", "tokens at once", "records together", "sort key", "order", "open responses", "past the end"],
  ...["count responses", "count correct", "count unpaidResponses", "zone of dates", "index base", "operation 9"],
  "Retry-After",
] as const;

export type Question = (typeof QUESTIONS)[number];

/** What a look has seen of a question: in one word or two, and in words; or why the sample cannot tell. */
export type Seen = readonly [found: string, says: string] | string;

/** `found` is null where nothing can be told. */
export function findingOf(question: Question, seen: Seen) {
  const [found, says] = typeof seen === "string" ? [null, `not seen: ${seen}`] : seen;
  return { question, found, says };
}

export interface CheckLine {
  check: string;
  state: "ok" | "warn" | "fail";
  says: string;
  /** Advice; null where all is well. */
  todo: string | null;
  /** Of the error that was met. */
  code: string | null;
}

export function ok(check: string, says: string): CheckLine {
  return { check, state: "ok", says, todo: null, code: null };
}

export function warn(check: string, says: string, todo: string): CheckLine {
  return { check, state: "warn", says, todo, code: null };
}

export function fail(check: string, says: string, todo: string, code: string | null = null): CheckLine {
  return { check, state: "fail", says, todo, code };
}
