/** How the records of a response deviate from the API document. */
export const oddRecords = [
  "id-text",
  "completed-text",
  "completed-true",
  "date-null",
  "date-empty",
  "date-zeros",
  "date-future",
  "date-ahead",
  "date-differs",
  "answer-text",
  "comment-null",
  "score-text",
  "unreadable-first",
  "unreadable",
  "large",
] as const;

/** Those without a date of completion that can be one. */
const undated: readonly OddRecord[] = ["date-null", "date-empty", "date-zeros", "date-future"];

export function isUndated(odd: OddRecord | undefined): boolean {
  return odd !== undefined && undated.includes(odd);
}

export type OddRecord = (typeof oddRecords)[number];
