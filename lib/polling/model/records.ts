import { hash } from "node:crypto";
import { isObject, readFlag, readId } from "../../json.ts";

/** The fields that tell of a response as a whole. */
export const FACTS = ["dateStart", "dateCompleted", "iso3166", "crk", "promoCode"] as const;

/** A response record as it was read, and the little of it that polling needs. */
export class ReadRecord {
  readonly raw: unknown;
  /** Both are undefined when they cannot be read. */
  readonly responseId: number | undefined;
  readonly completed: boolean | undefined;
  /** `dateCompleted` and `dateStart` where they are strings. */
  readonly completedAt: string | null;
  readonly startedAt: string | null;
  private readonly fields: Record<string, unknown>;
  private text: string | undefined = undefined;

  constructor(raw: unknown) {
    const fields = isObject(raw) ? raw : {};
    this.raw = raw;
    this.fields = fields;
    this.responseId = readId(fields.responseId);
    this.completed = readFlag(fields.completed);
    this.completedAt = typeof fields.dateCompleted === "string" ? fields.dateCompleted : null;
    this.startedAt = typeof fields.dateStart === "string" ? fields.dateStart : null;
  }

  /**
   * The identity of a record: the same at each read of a record that has not changed (R2). The text of a comment, undocumented fields and any order are not in it: these
   * may differ at each read. Most records belong to settled responses, and nobody asks for theirs.
   */
  get signature(): string {
    this.text ??= isObject(this.raw) ? this.signatureOfFields() : JSON.stringify(this.raw);
    return this.text;
  }

  private signatureOfFields(): string {
    const { responseId, questionId, completed, answer, score, comment } = this.fields;
    // fault: comment-makes-a-change
    const hasComment = hasText(comment);
    return JSON.stringify([responseId, questionId, completed, choicesOf(answer), score, hasComment]);
  }

  get facts(): string {
    return JSON.stringify(FACTS.map((name) => this.fields[name]));
  }

  get digest(): string {
    return hash("sha1", `${this.signature}\n${this.facts}`, "base64url");
  }
}

/** The choices of one answer come in whatever order. */
export function choicesOf(answer: unknown): unknown {
  return Array.isArray(answer) ? answer.toSorted() : answer;
}

/** Whether there is a comment. Its text may differ at each read. */
export function hasText(comment: unknown): boolean {
  return comment !== "" && comment !== null && comment !== undefined;
}

/** All records of one response that stand next to each other. */
export interface Run {
  responseId: number;
  records: ReadRecord[];
}

export type RunClass = "completed" | "open" | "unreadable";

export function readRecord(raw: unknown): ReadRecord {
  return new ReadRecord(raw);
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
