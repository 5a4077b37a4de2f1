import { createHash } from "node:crypto";
import { UnreadableBodyError } from "../errors.ts";
import type { ResponseRecord } from "../schemas/index.ts";

/**
 * The facts that tell whether a page has moved: of each record the response, question, state, answer and score, and whether it has a
 * comment, in any order. The text of a comment and undocumented fields are left out: a signed address in them, or the time of reading,
 * differs at each read.
 *
 * @throws UnreadableBodyError for records nested so deep that they cannot be compared
 */
export function signatureOf(records: readonly ResponseRecord[]): string {
  try {
    return createHash("sha1").update(records.map(textOf).sort().join("\n")).digest("base64url");
  } catch {
    throw new UnreadableBodyError("a record is nested too deep", { operation: "get survey responses, page and order" });
  }
}

function textOf({ responseId, questionId, completed, answer, score, comment }: ResponseRecord): string {
  const hasComment = comment !== "" && comment !== null && comment !== undefined;
  return JSON.stringify([responseId, questionId, completed, answer, score, hasComment]);
}
