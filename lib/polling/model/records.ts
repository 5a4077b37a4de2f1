import { hash } from "node:crypto";
import { readFlag, readId } from "../../json.ts";

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
  /** The record as it was read; only its ids where it is nested too deep to be written again. */
  readonly raw: unknown;
  /** The identity of a record: the same at each read of a record that has not changed (R2). */
  readonly signature: string;
  /** The fields that tell of its response as a whole, as text. */
  readonly facts: string;
  /** Digest of both. */
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
  return new RecordOf(read);
}

/** Most records that are read belong to settled responses: nobody asks for their text or their digest. */
class RecordOf implements ReadRecord {
  readonly responseId: number | undefined;
  readonly completed: boolean | undefined;
  readonly completedAt: string | null;
  readonly startedAt: string | null;
  private readonly fields: Record<string, unknown>;
  private readonly read: unknown;
  private isWritable: boolean | undefined = undefined;
  private text: string | undefined = undefined;

  constructor(read: unknown) {
    const fields = (typeof read === "object" && read !== null ? read : {}) as Record<string, unknown>;
    this.read = read;
    this.fields = fields;
    this.responseId = readId(fields.responseId);
    this.completed = readFlag(fields.completed);
    this.completedAt = typeof fields.dateCompleted === "string" ? fields.dateCompleted : null;
    this.startedAt = typeof fields.dateStart === "string" ? fields.dateStart : null;
  }

  get raw(): unknown {
    this.isWritable ??= textOf([this.read]) !== undefined;
    return this.isWritable ? this.read : this.ids;
  }

  /** The text of a comment, undocumented fields and any order are not in it: these may differ at each read. */
  get signature(): string {
    this.text ??= this.readSignature();
    return this.text;
  }

  private readSignature(): string {
    if (typeof this.read !== "object" || this.read === null || Array.isArray(this.read)) return textOf(this.read) ?? "";
    const { responseId, questionId, completed, answer, score, comment } = this.fields;
    // fault: comment-makes-a-change
    const hasComment = comment !== "" && comment !== null && comment !== undefined;
    // The choices of one answer come in whatever order.
    const choices = Array.isArray(answer) ? answer.toSorted() : answer;
    return textOf([responseId, questionId, completed, choices, score, hasComment]) ?? JSON.stringify(this.ids);
  }

  get facts(): string {
    const { dateStart, dateCompleted, iso3166, crk, promoCode } = this.fields;
    return textOf([dateStart, dateCompleted, iso3166, crk, promoCode]) ?? "";
  }

  get digest(): string {
    return hash("sha1", `${this.signature}\n${this.facts}`, "base64url");
  }

  private get ids(): Record<string, number | undefined> {
    const { responseId, surveyId, questionId } = this.fields;
    return { responseId: readId(responseId), surveyId: readId(surveyId), questionId: readId(questionId) };
  }
}

/** Undefined for what is nested thousands deep: such JSON can be read but not written again. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Unreadable if any record is; completed if any record says so. */
export function classOf(run: Run): RunClass {
  if (run.records.some((record) => record.completed === undefined)) return "unreadable";
  return run.records.some((record) => record.completed === true) ? "completed" : "open";
}

/** Letters of a digest that stand for one group of fields: 96 bits of a hash. */
const OF_GROUP = 16;

/** Of the answers of a response and of its facts, one after the other: the same whatever the order in which its records were listed. */
export function digestOf({ records }: Run): string {
  const answers = records.map(({ signature }) => signature).sort();
  const facts = [...new Set(records.map((record) => record.facts))].sort();
  return [answers, facts].map((texts) => hash("sha1", texts.join("\n"), "base64url").slice(0, OF_GROUP)).join("");
}

/** The two parts of a digest. */
export function partsOf(digest: string): { answers: string; facts: string } {
  return { answers: digest.slice(0, OF_GROUP), facts: digest.slice(OF_GROUP) };
}

/** When it was begun, by its first record. */
export function startedAt({ records }: Run): string | null {
  return records[0]?.startedAt ?? null;
}

/** The largest date of its records: where they differ, the newest is the latest state. */
export function completedAt(run: Run): string | null {
  let newest: string | null = null;
  for (const record of run.records) {
    if (record.completedAt !== null && (newest === null || record.completedAt > newest)) newest = record.completedAt;
  }
  return newest;
}
