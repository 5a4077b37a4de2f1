import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type ReadRecord, type Run, readRecord } from "../model/records.ts";
import { NONE_VOLATILE, type VolatileFields } from "../model/volatile-fields.ts";
import type { PageRead } from "../ports.ts";

/** Records of a full page, by section 8 of the API document. */
export const PAGE_SIZE = 100;

/** Records by which the end of a page is known again: one alone may have an equal one elsewhere. */
const TAIL = 6;

/** One read of one page. Its runs were read in one moment, so all but those at its two edges are whole. */
export interface Page {
  number: number;
  /** Tells this read from any other one. */
  read: symbol;
  runs: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** Number of records, orphans included. */
  size: number;
  /** JSON of its records, as they were listed; undefined where only digests were kept. */
  readonly texts: string[] | undefined;
  /** Digests of its records, as they were listed. */
  readonly digests: string[];
  /** Digest of all its records, whatever their order, which ties of the sort key may change: equal means that it holds the same. */
  readonly digest: string;
  /** Digests of its last records. */
  readonly tail: string[];
}

/** A page with its runs, or undefined when the read says that the list ends before it; compared with others without these fields. */
export function toPage(number: number, read: PageRead, volatile: VolatileFields = NONE_VOLATILE): Page | undefined {
  if (read.kind === "none" || read.records.length === 0) return undefined;
  const runs: Run[] = [];
  const orphans: ReadRecord[] = [];
  const records = read.records.map((record) => readRecord(record, volatile));
  for (const record of records) {
    if (record.responseId === undefined) {
      orphans.push(record);
      continue;
    }
    const last = runs.at(-1);
    if (last?.responseId === record.responseId) last.records.push(record);
    else runs.push({ responseId: record.responseId, records: [record] });
  }
  let texts: string[] | undefined;
  let digests: string[] | undefined;
  let digest: string | undefined;
  let { version } = volatile;
  const refresh = (): void => {
    if (version === volatile.version) return;
    version = volatile.version;
    texts = digests = digest = undefined;
  };
  return {
    number,
    read: Symbol("read"),
    runs,
    orphans,
    size: records.length,
    get texts() {
      refresh();
      texts ??= records.map((record) => record.json);
      return texts;
    },
    get digests() {
      refresh();
      digests ??= records.map((record) => record.digest);
      return digests;
    },
    get digest() {
      refresh();
      digest ??= hash("sha1", this.digests.toSorted().join("\n"), "base64url");
      return digest;
    },
    get tail() {
      return this.digests.slice(-TAIL);
    },
  };
}

/** Whether a page holds as many records as the API document has it: a list may go on behind it. */
export function isFull({ size }: Pick<Page, "size">): boolean {
  return size >= PAGE_SIZE;
}

/** Whether two pages hold the same records, in whatever order. */
export function isSame(one: Page | undefined, other: Page | undefined): boolean {
  if (one === undefined || other === undefined || one.size !== other.size) return one === other;
  const { texts } = other;
  const [first = "", ...rest] = one.texts ?? [];
  // Mostly the order is the same too, or nothing is: both are seen without digests.
  if (texts !== undefined && first !== "") {
    if (!texts.includes(first)) return false;
    if (texts[0] === first && rest.every((text, i) => text === texts[i + 1])) return true;
  }
  return one.digest === other.digest;
}

/** Whether two reads of a page hold the same records, in whatever order. */
export function holdSame(one: PageRead, other: PageRead, volatile: VolatileFields = NONE_VOLATILE): boolean {
  // Mostly not even the order differs, and that costs no digests.
  return isDeepStrictEqual(one, other) || toPage(0, one, volatile)?.digest === toPage(0, other, volatile)?.digest;
}

/** Whether the records at the end of a page, by their digests, are all found again on these pages. */
export function isFound(tail: string[], ...pages: (Page | undefined)[]): boolean {
  const left = pages.flatMap((page) => page?.digests ?? []);
  const take = (digest: string): boolean => {
    const at = left.indexOf(digest);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  return tail.length > 0 && tail.every(take);
}
