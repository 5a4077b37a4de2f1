import { hash } from "node:crypto";
import { NONE_VOLATILE, type VolatileFields } from "./volatile-fields.ts";

/** A response record as it was read, and the little of it that polling needs. */
export interface ReadRecord {
  /** Undefined when it cannot be read. */
  readonly responseId: number | undefined;
  /** Undefined when it cannot be read. */
  readonly completed: boolean | undefined;
  /** `dateCompleted` when it is a string. */
  readonly completedAt: string | null;
  /** `dateStart` when it is a string. */
  readonly startedAt: string | null;
  readonly raw: unknown;
  /** The JSON as it was read, without what reads differently each time. */
  readonly json: string;
  /** Digest of that. */
  readonly digest: string;
}

/** All records of one response that stand next to each other. */
export interface Run {
  responseId: number;
  records: ReadRecord[];
}

/** A response in one of three classes, by the `completed` of its records. */
export type RunClass = "completed" | "open" | "unreadable";

/** With these fields left out where it is compared with others. */
export function readRecord(read: unknown, volatile: VolatileFields = NONE_VOLATILE): ReadRecord {
  return new RecordOf(read, volatile);
}

/** Most records that are read belong to settled responses: nobody asks for their text or its digest. */
class RecordOf implements ReadRecord {
  readonly responseId: number | undefined;
  readonly completed: boolean | undefined;
  readonly completedAt: string | null;
  readonly startedAt: string | null;
  private readonly read: unknown;
  private readonly volatile: VolatileFields;
  /** As of a version of what is volatile. */
  private text: { raw: unknown; json: string; version: string } | undefined = undefined;
  private sum: string | undefined = undefined;

  constructor(read: unknown, volatile: VolatileFields) {
    const fields = (typeof read === "object" && read !== null ? read : {}) as Record<string, unknown>;
    this.read = read;
    this.volatile = volatile;
    this.responseId = readId(fields.responseId);
    this.completed = readFlag(fields.completed);
    this.completedAt = typeof fields.dateCompleted === "string" ? fields.dateCompleted : null;
    this.startedAt = typeof fields.dateStart === "string" ? fields.dateStart : null;
  }

  get raw(): unknown {
    return this.written().raw;
  }

  get json(): string {
    return this.written().json;
  }

  get digest(): string {
    const { json } = this.written();
    this.sum ??= hash("sha1", json, "base64url");
    return this.sum;
  }

  private written(): { raw: unknown; json: string } {
    const { version } = this.volatile;
    if (this.text?.version !== version) {
      this.text = { ...asText(this.read, this.volatile), version };
      this.sum = undefined;
    }
    return this.text;
  }
}

/** JSON nested thousands deep can be read but not written again: of such a record only its ids are kept. */
function asText(raw: unknown, volatile: VolatileFields): { raw: unknown; json: string } {
  try {
    return { raw, json: volatile.textOf(raw) };
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

/** The same whatever the order in which the records were listed; it tells what was left out of the digests of its records. */
export function digestOf(run: Run, { version }: Pick<VolatileFields, "version"> = NONE_VOLATILE): string {
  const digests = run.records.map((record) => record.digest).sort();
  const digest = hash("sha1", digests.join("\n"), "base64url");
  return digest + version;
}

/** Whether digests that can be compared differ: both without the same fields. */
export function isOther(one: string, other: string): boolean {
  return one !== other && one.split("~")[1] === other.split("~")[1];
}

/** The largest date of its records: where they differ, the newest is the latest state. */
export function completedAt(run: Run): string | null {
  let newest: string | null = null;
  for (const record of run.records) {
    if (record.completedAt !== null && (newest === null || record.completedAt > newest)) newest = record.completedAt;
  }
  return newest;
}
