import { hash } from "node:crypto";
import { UnreadableBodyError } from "../errors.ts";
import type { ResponseRecord } from "../schemas/index.ts";

/**
 * What tells whether a page has moved: the response, question, state, answer and score of each of its records, and whether it
 * has a comment, in whatever order. The text of a comment and undocumented fields are not in it: a signed address in them, or the time of
 * reading, differs at each read.
 *
 * @throws UnreadableBodyError for records nested so deep that they cannot be compared
 */
export function signatureOf(records: readonly ResponseRecord[]): string {
  try {
    return hash("sha1", records.map(textOf).sort().join("\n"), "base64url");
  } catch {
    throw new UnreadableBodyError("a record is nested too deep", { operation: "get survey responses, page and order" });
  }
}

function textOf({ responseId, questionId, completed, answer, score, comment }: ResponseRecord): string {
  const hasComment = comment !== "" && comment !== null && comment !== undefined;
  return JSON.stringify([responseId, questionId, completed, answer, score, hasComment]);
}
