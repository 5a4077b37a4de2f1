import type { ResponseRecord } from "../schemas/index.ts";
import { signatureOf } from "./signature.ts";

/** One page of a response list. */
export interface RecordsPage {
  /** Counts from 1. */
  page: number;
  /** At most 100. */
  records: ResponseRecord[];
}

/** Reads a page; empty past the end. */
export type ReadPage = (page: number) => Promise<ResponseRecord[]>;

/** A page as it was read, on the way to the end of a list. */
export interface ListPage extends RecordsPage {
  /** By which two reads are compared. */
  signature: string;
  /** Whether the list ends before this page. It then has no records, whatever the service gave in their place. */
  end: boolean;
}

/** Pages of a list from `from` to the end, without those that hold nothing. */
export async function* readPages(read: ReadPage, from: number): AsyncGenerator<RecordsPage, void, undefined> {
  for await (const { page, records } of pagesToEnd(read, from)) {
    if (records.length > 0) yield { page, records };
  }
}

/**
 * Pages of a list from `from` on. The last one is the first that lies past its end. One page without records may be a fault of the moment.
 * One that repeats the page before it, or the first page, may be a shift of the list, or a response of many equal records. Two in a row are
 * the end.
 */
export async function* pagesToEnd(read: ReadPage, from: number): AsyncGenerator<ListPage, void, undefined> {
  let last: string | undefined;
  /** Of page 1, where it was read. */
  let start: string | undefined;
  /** Pages that may lie past the end. */
  let held: ListPage[] = [];
  for (let page = from; ; page += 1) {
    const records = await read(page);
    const now = { page, records, signature: signatureOf(records), end: false };
    if (page === 1) start = now.signature;
    if (records.length > 0 && now.signature !== last && (page === 1 || now.signature !== start)) {
      yield* held;
      held = [];
      last = now.signature;
      yield now;
      continue;
    }
    held.push(now);
    const [first, second] = held;
    if (first === undefined || second === undefined) continue;
    // A repeated page and then an empty one: the repeat may be a page of its own, or the empty one a fault. The next one tells.
    const isUnclear = first.records.length > 0 && second.records.length === 0;
    if (isUnclear && held.length === 2) continue;
    const isOwn = isUnclear && records.length === 0;
    if (isOwn) yield first;
    yield { ...(isOwn ? second : first), records: [], end: true };
    return;
  }
}
