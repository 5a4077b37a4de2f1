import type { LedgerEntry } from "./ledger-entry.ts";

/** Where history begins: `at` is a date string of the service, or null for the beginning. */
export interface Floor {
  at: string | null;
  /** Whether a response completed at exactly `at` is after the floor. */
  inclusive: boolean;
}

/** The end of a page, where a later scan goes on: digests only, fit to be kept in the mark. */
export interface Edge {
  page: number;
  size: number;
  digest: string;
  /** Digests of its last records. */
  tail: string[];
  /** The response at its end, with the digests of the records that it had so far. */
  carry?: {
    responseId: number;
    digests: string[];
    /** Whether these are its records from the first on. */
    sure: boolean;
  };
  /** What all these digests leave out (see volatile-fields.ts); absent: nothing. */
  version?: string;
  /** Digest of the first page, with which a service may begin again behind its last one; absent where that was not read. */
  first?: string;
}

/** How an asc stream over a survey goes on after a crash or at the end of its time. */
export interface StreamPosition {
  /** The last page all of whose closed responses are in the state. */
  page: number;
  /** Digests of some of its records, by which it is known again. */
  sample?: string[];
  /** The page from which it has gone back, as its place was not known again, and how often, until that one is passed. */
  goneBackFrom?: number;
  timesBack?: number;
  /** Slices so far that were to begin again at the seam where it stands, which did not hold still. */
  retries?: number;
  /** Why it runs: the very first pass over a survey, or a backlog too deep for a head scan. */
  purpose: "first-pass" | "catch-up";
  /** Responses at the head when it was looked at last: what stands before them has come since. */
  head?: number[];
}

/** What a full pass has counted: each listed id in the class that it had when its page was read. */
export interface Tally {
  listed: number;
  emitted: number;
  beforeFloor: number;
  open: number;
  waiting: number;
  quarantined: number;
  /** Emitted ones whose records are no longer those of their event. */
  changed: number;
  /** Emitted ones that had more records than their event, which was replaced. */
  repaired: number;
  /** New ones that no other scan had met. */
  found: number;
}

/** A proof over one full pass: listed = emitted + before floor + open + waiting + quarantined. */
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

/** How far a scan in slices has come. */
export interface ScanPosition {
  /** The last page dealt with; 0 before the first. */
  page: number;
  /** How it ended. */
  edge?: Edge;
  /** Whether it is to be read again first: a response that is needed whole stands across its end. */
  again?: boolean;
}

/** A scan in desc order that goes on below the head, in slices. */
export interface Sweep extends ScanPosition {
  /** Look-back: down to the depth of `level`; seek: for what the counts have shown, to the end of the list. */
  goal: "look-back" | "seek";
  level: number;
  /** New responses that it has met. */
  found: number;
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
export interface Pass extends ScanPosition {
  startedAt: number;
  tally: Tally;
  ids?: IdsRef;
  /** Whether every page was read: what was joined is going out. */
  ended?: boolean;
  /** Whether nothing that was listed all the time can have slipped through so far; whether pages moved. */
  covered: boolean;
  moved: boolean;
  /** Responses met as one run of more than one record. */
  several?: number;
  /** Whether a response was met in more than one place. */
  scattered?: boolean;
  /** Where lies what is counted of each response; only where records lie apart, and as long as the counts are right. */
  counted?: { key?: string };
  /** Whether something came again that a move explains as well as records that lie apart: no proof that they stand together. */
  doubtful?: boolean;
  /**
   * Set where it joins responses because operation 9 cannot give them: the key in the vault of the records that were laid aside last,
   * beside which stands the key of those before. All keys, in a pass of an older version.
   */
  spilled?: string[];
  /** How often records were laid aside: each time under a key of its own. */
  spills?: number;
  /** Responses whose events were short when it began: of those found later it has not laid all records aside. */
  short?: number[];
  /** A page that was left before all of it had gone out. */
  redo?: number;
  /** Whether something failed for a response each time it was met: the next pass follows at once. */
  left?: boolean;
}

/** What comparing responses joined from pages with operation 9 has shown of a survey. */
export interface Confirmation {
  /** Responses compared, and how many have gone by since the last one. */
  made: number;
  since: number;
  /** Of those compared, the ones with more than one record: the others say nothing of where records stand. */
  several?: number;
  /** Comparisons in a row that said nothing. */
  silent: number;
  /** Records of the responses joined from pages that operation 9 has equalled: only then its contents are used (see `isTrusted`). */
  equalled?: "one" | "several";
  /** Whether it has listed some records of a response and not all: no contents, and yet it tells of a completion. */
  partial?: boolean;
  /** Whether its records then said the same of their response as a whole, not only of its answers. */
  full?: boolean;
  /** Whether records of one response lie apart from each other. */
  apart: boolean;
  /** Epoch milliseconds of the last pass made to earn trust. */
  triedAt?: number;
}

/** What is known of a survey as a whole. */
export interface Mark {
  /** Absent until the floor stands: nothing is emitted before. */
  floor?: Floor;
  /** Whether the floor still rises with what a first pass in no order of completion meets. */
  floorRises?: boolean;
  /** What the floor may not rise above. */
  floorCap?: string;
  /** Whether every response that was there when the floor was set has been met. */
  firstPassDone: boolean;
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
  /** Whether a head scan with news has begun and not come to a clean end. */
  headOpen?: boolean;
  /** Set where news appear at the beginning of the asc order, not of desc (see news-end.ts). */
  newsAt?: "asc";
  /** Where the last clean head scan ended, and when (epoch milliseconds); absent when it read every page. */
  headEnd?: ScanPosition & { at: number };
  /** Epoch milliseconds at which a page behind the end of the list failed first, as far as every scan to the end has met that since. */
  endFailedAt?: number;
  /** Responses on page 1 when everything down from there was settled last. */
  anchor?: number[];
  /** Polls that met an empty list although the counts say otherwise, before the first pass. */
  emptyReads?: number;
  /** Newest responseId and date string settled. */
  highWater?: { responseId: number; completed: string };
  /** Ids published whose ledger write failed: the survey publishes nothing until they are in the ledger. */
  pending?: LedgerEntry[];
  /** Answers in a row that had no metrics or metadata. */
  absent: { metrics: number; metadata: number };
  confirmation: Confirmation;
  /** Whether a full pass has shown that the records of each response stand together. */
  contiguous?: boolean;
  books?: Books;
  /** Why the books are not closed, and how many listed responses the last pass could not account for. */
  booksOpen?: string;
  unaccounted?: number;
  /** Full passes in a row that met an empty list although there had been responses. */
  emptyPasses?: number;
  /** Ids of the last full pass, and those gone since earlier ones. */
  listedIds?: IdsRef;
  pass?: Pass;
  /** Responses whose events are short, and whose records only a full pass can join. */
  short?: number[];
  /** Epoch milliseconds before which held responses are not joined by another full pass. */
  joinAgain?: number;
  /** Pages that the last full pass has read. */
  pages?: number;
  /** Epoch milliseconds before which no further full pass begins; absent: at once. */
  nextPass?: number;
  sweep?: Sweep;
  /** Epoch milliseconds at which each depth of look-back was reached last. */
  lookedBack?: number[];
  /** Fields of its records that read differently each time (see volatile-fields.ts); absent where none does, nor their order. */
  volatile?: string[];
  /** What the desc list is sorted by, as far as its pages have shown. */
  sortKey?: SortKey;
  /** Whether open responses were listed; and any of more than one record. */
  openSeen?: boolean;
  severalSeen?: boolean;
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
  /** Turns in a row that a search for what the counts have shown has had. */
  searches: number;
}

/** Completed and started: a date string of that name, newest first. */
export type SortKey = "completed" | "started" | "other";

export function emptyMark(): Mark {
  return {
    firstPassDone: false,
    absent: { metrics: 0, metadata: 0 },
    confirmation: { made: 0, since: 0, silent: 0, apart: false },
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
