import { hash } from "node:crypto";

/** A response record as it was read, and the little of it that polling needs. */
export interface ReadRecord {
  /** Undefined when it cannot be read. */
  responseId: number | undefined;
  /** Undefined when it cannot be read. */
  completed: boolean | undefined;
  /** `dateCompleted` when it is a string. */
  completedAt: string | null;
  /** `dateStart` when it is a string. */
  startedAt: string | null;
  readonly raw: unknown;
  /** The JSON as it was read. */
  readonly json: string;
  /** Digest of the JSON as it was read. */
  readonly digest: string;
}

/** All records of one response that stand next to each other. */
export interface Run {
  responseId: number;
  records: ReadRecord[];
}

/** A response in one of three classes, by the `completed` of its records. */
export type RunClass = "completed" | "open" | "unreadable";

export function readRecord(read: unknown): ReadRecord {
  const fields = (typeof read === "object" && read !== null ? read : {}) as Record<string, unknown>;
  // Most records that are read belong to settled responses: nobody asks for their text or its digest.
  let text: { raw: unknown; json: string } | undefined;
  let digest: string | undefined;
  const written = (): { raw: unknown; json: string } => {
    text ??= asText(read);
    return text;
  };
  return {
    responseId: readId(fields.responseId),
    completed: readFlag(fields.completed),
    completedAt: typeof fields.dateCompleted === "string" ? fields.dateCompleted : null,
    startedAt: typeof fields.dateStart === "string" ? fields.dateStart : null,
    get raw() {
      return written().raw;
    },
    get json() {
      return written().json;
    },
    get digest() {
      digest ??= hash("sha1", written().json, "base64url");
      return digest;
    },
  };
}

/** JSON nested thousands deep can be read but not written again: of such a record only its ids are kept. */
function asText(raw: unknown): { raw: unknown; json: string } {
  try {
    return { raw, json: JSON.stringify(raw) ?? "null" };
  } catch {
    const { responseId, surveyId, questionId } = raw as Record<string, unknown>;
    const rest = { responseId: readId(responseId), surveyId: readId(surveyId), questionId: readId(questionId) };
    return { raw: rest, json: JSON.stringify(rest) };
  }
}

/** An identifier is an integer; text of digits is read as one, for services that quote their numbers. */
export function readId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
}

function readFlag(value: unknown): boolean | undefined {
  if (value === 1 || value === "1" || value === true) return true;
  if (value === 0 || value === "0" || value === false) return false;
  return undefined;
}

/** Unreadable if any record is; completed if any record says so. */
export function classOf(run: Run): RunClass {
  if (run.records.some((record) => record.completed === undefined)) return "unreadable";
  return run.records.some((record) => record.completed === true) ? "completed" : "open";
}

/** The same whatever the order in which the records were listed. */
export function digestOf(run: Run): string {
  const digests = run.records.map((record) => record.digest).sort();
  return hash("sha1", digests.join("\n"), "base64url");
}

/** The largest date of its records: where they differ, the newest is the latest state. */
export function completedAt(run: Run): string | null {
  let newest: string | null = null;
  for (const record of run.records) {
    if (record.completedAt !== null && (newest === null || record.completedAt > newest)) newest = record.completedAt;
  }
  return newest;
}
