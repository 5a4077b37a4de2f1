import { BadRequestError, NotFoundError, UnreadableBodyError } from "../errors.ts";
import type { ResponseRecord } from "../schemas/index.ts";

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
  /** Its records as text, by which two reads are compared. */
  text: string;
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
 * Pages of a list from `from` on; the last one is the first that lies past its end. One page without records may be a fault of
 * the moment, and one that repeats what was read before it, or the first page, a shift of the list, or a response of many equal records: two
 * in a row are the end.
 */
export async function* pagesToEnd(read: ReadPage, from: number): AsyncGenerator<ListPage, void, undefined> {
  let last: string | undefined;
  /** Of page 1, where it was read. */
  let start: string | undefined;
  /** Pages that may lie past the end. */
  let held: ListPage[] = [];
  for (let page = from; ; page += 1) {
    const records = await read(page);
    const now = { page, records, text: textOf(records), end: false };
    if (page === 1) start = now.text;
    if (records.length > 0 && now.text !== last && (page === 1 || now.text !== start)) {
      yield* held;
      held = [];
      last = now.text;
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

/** @throws UnreadableBodyError for records nested so deep that they cannot be compared */
export function textOf(records: readonly ResponseRecord[]): string {
  try {
    return JSON.stringify(records);
  } catch {
    throw new UnreadableBodyError("a record is nested too deep", { operation: "get survey responses, page and order" });
  }
}

/** Past the end of a list some services answer 404 or 400, as others do with an empty page. On page 1 these are what they say. */
export async function orNothing(page: number, read: Promise<ResponseRecord[]>): Promise<ResponseRecord[]> {
  try {
    return await read;
  } catch (error) {
    const pastTheEnd = error instanceof NotFoundError || error instanceof BadRequestError;
    if (pastTheEnd && page > 1 && error.operation !== "get token") return [];
    throw error;
  }
}
