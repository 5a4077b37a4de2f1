import type { BooksClosed } from "../../events/index.ts";

/** A set of ids, delta-coded (see id-set.ts): a small one as it is, a large one in the vault. */
export type IdsRef = { inline: string } | { key: string };

/** A full pass in slices. */
export interface Pass {
  /** Epoch milliseconds. */
  startedAt: number;
  /** The first page of which not everything is dealt with. */
  page: number;
  /** Ids listed so far. */
  ids?: IdsRef;
  /** Whether nothing that was listed all the time can have slipped through so far; whether pages moved. */
  covered: boolean;
  moved: boolean;
  /** Pages that were stepped over (R9); and slices in a row that have ended at a page that failed, and come no further. */
  steppedOver: number[];
  failures: number;
  /** Whether a short event was met that could not be replaced yet: the next pass follows at once. */
  unreplaced: boolean;
  changed: number;
  repaired: number;
  found: number;
}

/** The sums of a full pass: each listed id in the class that the ledger gave it at the end. */
export interface Tally {
  listed: number;
  emitted: number;
  beforeFloor: number;
  open: number;
  waiting: number;
  held: number;
  quarantined: number;
  refused: number;
  /** Emitted ones whose records are no longer those of their event. */
  changed: number;
  /** Emitted ones that had more records than their event, which was replaced. */
  repaired: number;
  /** New ones that no other walk had met. */
  found: number;
}

/** A listed response that does not go out without help. */
export type Withheld = BooksClosed["data"]["withheld"][number];

/** A proof over one full pass: listed = emitted + before floor + open + waiting + held + quarantined + refused. */
export interface Books extends Tally {
  startedAt: number;
  closedAt: number;
  /** Ids that an earlier pass has listed and this one has not. */
  gone: number;
  /** The service's own count minus `listed`; null when it states none. */
  deficit: number | null;
  /** Whether pages moved while they were read. */
  moved: boolean;
  /** Those held, quarantined or refused, in the order of their ids: the first 50. */
  withheld?: Withheld[];
  /** Closed passes in a row up to this one: one alone cannot see two changes that cancel each other. */
  passes: number;
}

/** Why the books stay open. */
export type BooksOpen =
  /** Listed responses that are in no class. */
  | { code: "unaccounted"; count: number }
  | { code: "pages-unreachable"; pages: number[] }
  /** The other order shows what no page number reaches. */
  | { code: "range-unreachable" }
  | { code: "pages-moved" | "read-as-empty" };

/** The reason for people. */
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

/** Listed responses that the last pass could not account for. */
export function unaccountedOf({ booksOpen }: { booksOpen?: BooksOpen }): number {
  return booksOpen?.code === "unaccounted" ? booksOpen.count : 0;
}

/** A `books.closed` event. */
export interface ToldBooks {
  sequence: number;
  eventId: string;
  /** A hash of what it says of the books. */
  hash: string;
}
