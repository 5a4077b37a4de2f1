import { hash } from "node:crypto";
import type { PageRead } from "./ports.ts";
import { type ReadRecord, type Run, readRecord } from "./records.ts";

/** Records of a full page, by section 8 of the API document. */
export const PAGE_SIZE = 100;

/** One read of one page. Its runs were read in one moment, so all but those at its two edges are whole. */
export interface Page {
  number: number;
  runs: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** Number of records, orphans included. */
  size: number;
  /** Digest of the whole page: equal means unchanged. */
  readonly digest: string;
  /** Digest of its last record. */
  readonly last: string;
  /** Where the first record of this digest stands on it; -1 when none does. */
  indexOf(digest: string): number;
}

/** A page with its runs, or undefined when the read says that the list ends before it. */
export function toPage(number: number, read: PageRead): Page | undefined {
  if (read.kind === "none" || read.records.length === 0) return undefined;
  const runs: Run[] = [];
  const orphans: ReadRecord[] = [];
  const records = read.records.map(readRecord);
  for (const record of records) {
    if (record.responseId === undefined) {
      orphans.push(record);
      continue;
    }
    const last = runs.at(-1);
    if (last?.responseId === record.responseId) last.records.push(record);
    else runs.push({ responseId: record.responseId, records: [record] });
  }
  let digest: string | undefined;
  return {
    number,
    runs,
    orphans,
    size: records.length,
    get digest() {
      digest ??= hash("sha1", records.map((record) => record.digest).join("\n"), "base64url");
      return digest;
    },
    get last() {
      return records.at(-1)?.digest ?? "";
    },
    indexOf: (wanted) => records.findIndex((record) => record.digest === wanted),
  };
}
