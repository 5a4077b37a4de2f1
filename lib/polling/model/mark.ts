import type { LedgerEntry } from "./ledger-entry.ts";

/** Where history begins: `at` is a date string of the service, or null for the beginning. */
export interface Floor {
  at: string | null;
  /** Whether a response completed at exactly `at` is after the floor. */
  inclusive: boolean;
}

/** A look at the first page of a survey that is not believed yet (R16). */
export interface DoubtfulLook {
  /** Responses that it has shown. */
  shown: number;
  /** Epoch milliseconds of the first of these looks, and how many there were. */
  since: number;
  looks: number;
}

/** How an asc walk over a survey goes on after a crash or at the end of its time. */
export interface StreamPosition {
  /** The first page of which not everything is dealt with (R7). */
  page: number;
  /** Why it runs: the very first pass over a survey, or a backlog too deep for a head walk. */
  purpose: "first-pass" | "catch-up";
  /** Walks of a first pass that have ended at a page that failed. */
  failures?: number;
  /** Responses at the head when it was looked at last: what stands before them has come since. */
  head?: number[];
}

/** What a full pass has counted: each listed id in the class that the ledger gave it at the end. */
export interface Tally {
  listed: number;
  emitted: number;
  beforeFloor: number;
  open: number;
  waiting: number;
  held: number;
  quarantined: number;
  /** Emitted ones whose records are no longer those of their event. */
  changed: number;
  /** Emitted ones that had more records than their event, which was replaced. */
  repaired: number;
  /** New ones that no other walk had met. */
  found: number;
}

/** A proof over one full pass: listed = emitted + before floor + open + waiting + held + quarantined. */
export interface Books extends Tally {
  startedAt: number;
  closedAt: number;
  /** Ids that an earlier pass has listed and this one has not. */
  gone: number;
  /** The service's own count minus `listed`; null when it states none. */
  deficit: number | null;
  /** Whether pages moved while they were read. */
  moved: boolean;
  /** Closed passes in a row up to this one: one alone cannot see two changes that cancel each other. */
  passes: number;
}

/** A set of ids, delta-coded (see id-set.ts): a small one as it is, a large one in the vault. */
export type IdsRef = { inline: string } | { key: string };

/** A look-back: a walk in desc order that goes on below the head, in slices, down to the depth of its level. */
export interface Sweep {
  level: number;
  /** The first page of which not everything is dealt with. */
  page: number;
  /** Epoch milliseconds at which it began. */
  startedAt: number;
  /** Newest credible date when it began: depth by date is counted from there. */
  newest?: string;
  /** The deepest level whose depth it has passed. */
  passed?: number;
  /** Requests made for it. */
  spent?: number;
  /** A deeper look-back that goes on when this one has ended. */
  outer?: Sweep;
  /** Requests that it is to have before a shallower one goes first again: else it would never come to its end. */
  owed?: number;
}

/** A full pass in slices. */
export interface Pass {
  /** Epoch milliseconds. */
  startedAt: number;
  /** The first page of which not everything is dealt with. */
  page: number;
  /** Ids listed so far. */
  ids?: IdsRef;
  /** Those of them that have no item: by their date alone they are before the floor. */
  old?: IdsRef;
  /** Whether nothing that was listed all the time can have slipped through so far; whether pages moved. */
  covered: boolean;
  moved: boolean;
  /** Pages that were stepped over (R9); and slices in a row that have ended at a page that failed, and come no further. */
  steppedOver: number[];
  failures: number;
  /** Whether a short event was met that could not be replaced yet: the next pass follows at once. */
  unreplaced: boolean;
  /** Whether one page has shown a response in two places. */
  apart: boolean;
  changed: number;
  repaired: number;
  found: number;
}

/** What is known of operation 9 and of how records stand, from comparing whole responses with it (R11, R12). */
export interface Contents {
  /** Responses compared, those of more than one record among them, and how many have gone by since the last one. */
  compared: number;
  several: number;
  since: number;
  /** What operation 9 has given for the last response that it could be compared for. */
  answers?: "one" | "several" | "fewer";
  /** Whether its records say the same of their response as a whole, not only of its answers. */
  full?: boolean;
  /** Answers in a row that said nothing; and epoch milliseconds until which it is not asked after three of them. */
  silent: number;
  silentUntil?: number;
  /** Whether a response of more than one record was met. */
  severalSeen?: boolean;
  /** Responses of which it has more records than a page shows together: a walk over all pages tells where the rest stands. */
  suspects?: number[];
  /** Walks made for such responses since operation 9 was trusted or left alone last. */
  searches?: number;
  /** Set where records of one response lie apart: full passes in a row that have not seen it again. */
  apart?: number;
}

/** A page that fails each time (R9). */
export interface FailingPage {
  page: number;
  /** Polls in a row whose walks it has ended, and when the last of them took its lease (epoch milliseconds). */
  polls: number;
  pollAt: number;
  /** Whether walks step over it by now. */
  isSteppedOver: boolean;
}

/** What is known of a survey as a whole. */
export interface Mark {
  /** Absent until the floor stands: nothing is emitted before. */
  floor?: Floor;
  /** Whether the floor still rises with what a first pass in no order of completion meets. */
  floorRises?: boolean;
  /** What the floor may not rise above. */
  floorCap?: string;
  /** Whether the first pass is over: every response that was there when the floor was set has been met, but for what `isHistoryPartial` says. */
  firstPassDone: boolean;
  /** Set where the first pass may have missed something, or has stepped over a page: what was not met then is judged by its date alone. */
  isHistoryPartial?: boolean;
  /** A look at the survey that is not believed yet. */
  look?: DoubtfulLook;
  stream?: StreamPosition;
  /** Epoch milliseconds until which a slice of the stream is taken to be on its way to another process. */
  queuedUntil?: number;
  /** Epoch milliseconds at which it was queued. */
  queuedAt?: number;
  /** Whether that was for the second time, as the first message may have come in vain. */
  queuedAgain?: boolean;
  /** Slices queued so far: each message has its number. */
  slicesQueued?: number;
  /** As many had been queued when the last slice began. */
  slicesBegun?: number;
  /** The last page of a head walk with news that has not come to a clean end. */
  headOpen?: number;
  /** The last page of the last clean head walk, and when it ended (epoch milliseconds); absent when it read every page. */
  headEnd?: { page: number; at: number };
  /** By the order in which it was read. */
  failing?: { asc?: FailingPage[]; desc?: FailingPage[] };
  /** The last page when the end of the list was looked for last. */
  lastPage?: number;
  /** Newest responseId and date string settled. */
  highWater?: { responseId: number; completed: string };
  /** Ids published whose ledger write failed: the survey publishes nothing until they are in the ledger. */
  pending?: LedgerEntry[];
  /** Answers in a row that had no metrics or metadata. */
  absent: { metrics: number; metadata: number };
  contents: Contents;
  books?: Books;
  /** Why the books are not closed, and how many listed responses the last pass could not account for. */
  booksOpen?: string;
  unaccounted?: number;
  /** Full passes in a row that met an empty list although there had been responses. */
  emptyPasses?: number;
  /** Ids of the last full pass, and those gone since earlier ones. */
  listedIds?: IdsRef;
  pass?: Pass;
  /** Epoch milliseconds before which no further full pass begins; absent: at once. */
  nextPass?: number;
  /** A search below the head for what a count has shown: the first page of which not everything is dealt with, and new responses found. */
  search?: { page: number; found: number };
  sweep?: Sweep;
  /** Epoch milliseconds at which each depth of look-back was reached last. */
  lookedBack?: number[];
  /** What the desc list is sorted by, as far as its pages have shown. */
  sortKey?: SortKey;
  /** Whose turn it is among the slow tasks. */
  turns?: Turns;
  /** Responses repaired so far, and more than once: repeated repairs need a look. */
  repairs?: { once: number; again: number };
  /** Epoch milliseconds of the next look for quarantined records whose time is over. */
  expiryLook?: number;
}

/** The kinds of slow work on one survey that take turns. */
export type Task = "recheck" | "sweep" | "pass";

export interface Turns {
  /** The one that was done last, and whether a full poll came after it. */
  last: Task;
  fullPoll: boolean;
}

/** Completed and started: a date string of that name, newest first. */
export type SortKey = "completed" | "started" | "other";

export function emptyMark(): Mark {
  return {
    firstPassDone: false,
    absent: { metrics: 0, metadata: 0 },
    contents: { compared: 0, several: 0, since: 0, silent: 0 },
  };
}

/** The right to poll a survey, with the mark as it was when the lease was taken. */
export interface Lease {
  surveyId: number;
  owner: string;
  fence: number;
  /** Epoch milliseconds. */
  until: number;
  mark: Mark;
}
