import type { BooksClosed } from "../../events/index.ts";

/** The ids of a full read (see `ReadIds`): few of them as they are, many in the vault. */
export type IdsRef = { inline: string } | { key: string };

/** Dates of completion, as the service writes them; both belong to it. */
export interface DateRange {
  from: string;
  to: string;
}

/** A full read in parts, and the point at which it goes on after a crash or at the end of its time. */
export interface FullRead {
  /** Epoch milliseconds. */
  startedAt: number;
  /** The page at which it began: page 1, or that of the oldest news. Only a read from page 1 can close the books. */
  begun: number;
  /** The first page of which not everything is dealt with (R7). */
  page: number;
  /** Ids met so far. They belong to `page`: both are written together. */
  ids?: IdsRef;
  /** Whether nothing that was listed all the time can have slipped through so far. */
  covered: boolean;
  /** Pages (R9). */
  skipped: number[];
  /** Parts in a row that have come no further. */
  failures: number;
  /** Whether a short event was met that could not be replaced yet: the next full read follows at once. */
  unreplaced: boolean;
  changed: number;
  repaired: number;
  found: number;
  /** Of a backlog: responses at the head when it was looked at last; what stands before them has come since. */
  head?: number[] | undefined;
  /** Of a backfill: responses completed in this range go out even where they are history. */
  backfill?: DateRange;
}

export function newFullRead(startedAt: number, more: Partial<FullRead> = {}): FullRead {
  return {
    ...{ startedAt, begun: 1, page: 1, covered: true, skipped: [], failures: 0, unreplaced: false },
    ...{ changed: 0, repaired: 0, found: 0 },
    ...more,
  };
}

/** The sums of a full read: each listed id in the class that the ledger gave it at the end. */
export interface Tally {
  listed: number;
  emitted: number;
  beforeStart: number;
  open: number;
  waiting: number;
  held: number;
  quarantined: number;
  refused: number;
  /** Emitted ones whose records are no longer those of their event. */
  changed: number;
  /** Emitted ones that had more records than their event, which was replaced. */
  repaired: number;
  /** New ones that no scan had met. */
  found: number;
}

/** A listed response that does not go out without help. */
export type Withheld = BooksClosed["data"]["withheld"][number];

/** A proof over one full read: listed = emitted + before start + open + waiting + held + quarantined + refused. */
export interface Books extends Tally {
  startedAt: number;
  closedAt: number;
  /** Ids that an earlier pass has listed and this one has not. */
  gone: number;
  /** The service's own count minus `listed`; null when it states none. */
  deficit: number | null;
  /** Those held, quarantined or refused, in the order of their ids: the first 50. */
  withheld?: Withheld[];
  /** Closings in a row up to this one: one alone cannot see two changes that cancel each other. */
  passes: number;
}

export type BooksOpen =
  /** Listed responses that are in no class. */
  | { code: "unaccounted"; count: number }
  | { code: "pages-unreachable"; pages: number[] }
  /** The other order shows what no page number reaches. */
  | { code: "range-unreachable" }
  | { code: "pages-moved" | "read-as-empty" };

export function sayWhyOpen(why: BooksOpen): string {
  switch (why.code) {
    case "unaccounted":
      return `${why.count} listed responses are not accounted for yet`;
    case "pages-unreachable":
      return `page ${why.pages.join(", ")} unreachable`;
    case "range-unreachable":
      return "range unreachable";
    case "pages-moved":
      return "pages moved while they were read";
    case "read-as-empty":
      return "the list was read as empty";
  }
}

/** Whether it is for a part of the list that could not be read. */
export function isUnreachable(why: BooksOpen | undefined): boolean {
  return why?.code === "pages-unreachable" || why?.code === "range-unreachable";
}

export function unaccountedOf({ booksOpen }: { booksOpen?: BooksOpen }): number {
  return booksOpen?.code === "unaccounted" ? booksOpen.count : 0;
}

export interface ToldBooks {
  sequence: number;
  eventId: string;
  /** A hash of what it says of the books. */
  hash: string;
}
