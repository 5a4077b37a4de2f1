import { hash32, hashFraction } from "./hashing.ts";
import { type ContentSettings, maxRecords, recordRange } from "./settings.ts";

/** One record as it is listed; a plain object, since a test may patch any field into anything. */
export type ListedRecord = Record<string, unknown>;

/** The answer of operation 11 or 13 for one response, when not that of the settings. */
export type EnrichmentOverride =
  | { body: unknown }
  /** 404, `[]` or 204, on the first `reads` reads or (default) for ever. */
  | { absent: "404" | "empty" | "noContent"; reads?: number }
  /** The next `fail` reads answer `status` (default 500). */
  | { fail: number; status?: number }
  /** No read is ever answered; its connection stays open. */
  | { hang: true };

/** Everything a test may say about one response. */
export interface ResponseOverrides {
  /** An id of the test's choice, for instance below those already listed. */
  responseId: number;
  /** Epoch milliseconds. */
  startedAt: number;
  completedAt: number;
  /** Records before repeats; 0: a response that is never listed. */
  records: number;
  /** Bytes of each comment. */
  commentBytes: number;
  /** Adds `copies` records to the question of record `slot` (default 0), with equal or with other answers. */
  repeat: { copies: number; identical: boolean; slot?: number };
  crk: string | null;
  /** Fields put over each record, verbatim (undefined leaves a field out), or computed from it. */
  patch: ListedRecord | ((record: ListedRecord, slot: number) => ListedRecord);
  metrics: EnrichmentOverride;
  metadata: EnrichmentOverride;
}

/** A response: what the service knows of it, before any question of how it is shown. Instants are epoch milliseconds. */
export interface SimulatedResponse {
  readonly responseId: number;
  readonly startedAt: number;
  /** null while it is open. */
  readonly completedAt: number | null;
  /** Records it is listed with, repeats included. */
  readonly records: number;
  /** Grows with each edit of its answers. */
  readonly revision: number;
  readonly content: ContentSettings;
  readonly overrides: Partial<ResponseOverrides>;
}

/** Throws a RangeError when it would have more records than `maxRecords`. */
export function recordCount(
  seed: number,
  responseId: number,
  content: ContentSettings,
  overrides: Partial<ResponseOverrides>,
): number {
  const [least, most] = recordRange(content);
  const drawn = least + (hash32(seed, responseId, 1) % (most - least + 1));
  const count = (overrides.records ?? drawn) + (overrides.repeat?.copies ?? 0);
  if (!(count >= 0 && count <= maxRecords)) throw new RangeError(`a response has at most ${maxRecords} records`);
  return count;
}

/** Which records of a response belong to one question: `copies` of record `slot`, right after it. */
export function repeatOf(
  seed: number,
  response: SimulatedResponse,
): { slot: number; copies: number; identical: boolean } {
  const { repeat } = response.overrides;
  if (repeat !== undefined) {
    const { copies, identical, slot = 0 } = repeat;
    return { copies, identical, slot: Math.min(slot, response.records - copies - 1) };
  }
  const chance = response.content.repeatedQuestions;
  if (response.records < 2 || chance === 0 || hashFraction(seed, response.responseId, 2) >= chance)
    return { slot: 0, copies: 0, identical: true };
  return { slot: response.records - 2, copies: 1, identical: hash32(seed, response.responseId, 3) % 2 === 0 };
}

/** The key by which operation 10 finds a response; null for one that has none. */
export function crkOf(seed: number, response: SimulatedResponse): string | null {
  if (response.overrides.crk !== undefined) return response.overrides.crk;
  const { crk } = response.content;
  const mark = hash32(seed, response.responseId, 4);
  if (crk === "none" || (crk === "some" && mark % 3 !== 0)) return null;
  return `${response.responseId.toString(36)}-${mark.toString(36)}`;
}
