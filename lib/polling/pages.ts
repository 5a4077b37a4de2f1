import { hash } from "node:crypto";
import type { PageRead } from "./ports.ts";
import { type ReadRecord, type Run, readRecord } from "./records.ts";

/** Records of a full page, by section 8 of the API document. */
export const PAGE_SIZE = 100;

/** Records by which the end of a page is known again: one alone may have an equal one elsewhere. */
const TAIL = 6;

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
  /** Digests of its last records, in their order. */
  readonly tail: string[];
  /** Where the last of these records stands on it, the ones before it, as far as they are on the page, in their order; else -1. */
  indexOf(tail: string[]): number;
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
    get tail() {
      return records.slice(-TAIL).map((record) => record.digest);
    },
    indexOf(tail) {
      const fits = (end: number): boolean =>
        tail.every((_, back) => back > end || records[end - back]?.digest === tail.at(-1 - back));
      return tail.length === 0 ? -1 : records.findIndex((_, end) => fits(end));
    },
  };
}
