import { hash } from "node:crypto";
import { type ReadRecord, type Run, readRecord } from "../model/records.ts";
import type { PageRead } from "../ports.ts";

/** Records of a full page, by section 8 of the API document (A6). */
export const PAGE_SIZE = 100;

/** One read of one page. */
export interface Page {
  number: number;
  /** The records of each response that stand together, in the order of the page. */
  runs: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** All records, orphans included. */
  records: readonly ReadRecord[];
  /** Two reads of a page with the same signature hold the same records (R2). */
  readonly signature: string;
}

/** The page of a read; undefined where the read says that there is none (R1). */
export function toPage(number: number, read: PageRead): Page | undefined {
  // fault: no-page-is-failure
  if (read.kind === "none" || read.records.length === 0) return undefined;
  const runs: Run[] = [];
  const orphans: ReadRecord[] = [];
  // fault: last-record-dropped
  const records = read.records.map((raw) => readRecord(raw));
  for (const record of records) {
    const last = runs.at(-1);
    if (record.responseId === undefined) orphans.push(record);
    // fault: equal-records-are-one
    else if (last?.responseId === record.responseId) last.records.push(record);
    else runs.push({ responseId: record.responseId, records: [record] });
  }
  let signature: string | undefined;
  return {
    ...{ number, runs, orphans, records },
    get signature() {
      signature ??= signatureOf(records);
      return signature;
    },
  };
}

export function signatureOf(records: readonly ReadRecord[]): string {
  const signatures = records.map(({ signature }) => signature);
  // fault: order-makes-a-change
  signatures.sort();
  return hash("sha1", signatures.join("\n"), "base64url");
}

/** Whether a page holds as many records as a page may: the list may go on behind it. */
export function isFull({ records }: Pick<Page, "records">): boolean {
  return records.length >= PAGE_SIZE;
}
