import { createHash } from "node:crypto";
import type { AnswersRef, ResponseCompleted } from "../events/index.ts";

/** Keys of claim checks begin so: readers of events are let in here, and nowhere else in the bucket. */
export const CLAIM_CHECKS = "answers/";

/** Writes one object of the claim-check bucket. */
export type PutObject = (key: string, body: string) => Promise<void>;

/** The event's JSON. Over `inlineLimit` bytes its answers go into the bucket, and nothing else, so that filters still match. */
export async function checkIn(
  detail: Pick<ResponseCompleted, "meta" | "data">,
  inlineLimit: number,
  bucket: string,
  put: PutObject,
): Promise<string> {
  const json = JSON.stringify(detail);
  if (Buffer.byteLength(json) <= inlineLimit || detail.data.answers.length === 0) return json;
  const answers = JSON.stringify(detail.data.answers);
  // The digest keeps a later revision, or a repeat with other contents, from changing what an earlier event refers to.
  const key = `${CLAIM_CHECKS}${detail.meta.eventId}/${createHash("sha256").update(answers).digest("hex").slice(0, 32)}.json`;
  await put(key, answers);
  const answersRef: AnswersRef = { bucket, key, bytes: Buffer.byteLength(answers) };
  return JSON.stringify({ ...detail, data: { ...detail.data, answers: [], answersRef } });
}
