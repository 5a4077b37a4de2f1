import type { DetailOf, EventType, SurveyFacts } from "../../events/index.ts";
import type { Books, BooksOpen, FullRead, IdsRef, ToldBooks } from "./books.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

/** Slow scans in doubling depth (R23). */
export interface Rescan {
  /** The next one, or the one that is under way, reads 2 ** step pages. */
  step: number;
  /** Epoch milliseconds from which on the list was read by the last one that is done. */
  doneAt: number;
  /** Where one that is under way goes on, and when it began (epoch milliseconds). */
  place?: { page: number; startedAt: number };
}

/** A page that fails each time (R9). */
export interface FailingPage {
  page: number;
  /** Polls in a row whose readings it has ended, and when the first and the last that failed at it took its lease (epoch milliseconds). */
  polls: number;
  since: number;
  pollAt: number;
  /** Whether reads skip it by now. */
  isSkipped: boolean;
}

/** A survey as the survey list showed it, null where it did not name it, and when that was read (epoch milliseconds). */
export interface Listed<Facts = SurveyFacts | null> {
  facts: Facts;
  at: number;
}

/** A survey as subscribers know it. */
export interface KnownSurvey {
  /** Of the last `survey.changed` event; 0 before the first. */
  sequence: number;
  /** Null: it is not listed. */
  facts: SurveyFacts | null;
  /** A list that has shown it otherwise, until a later one says the same. */
  sight?: Listed;
}

/** A survey as a whole, as far as it is known. */
export interface Mark {
  phase: Phase;
  survey?: Listed<SurveyFacts>;
  known?: KnownSurvey;
  /** Attempts in a row to read its questions that have failed, and when the first and the last did (epoch milliseconds). */
  questionsFail?: { since: number; at: number; attempts: number };
  /** By the order in which it was read. */
  failing?: { asc?: FailingPage[]; desc?: FailingPage[] };
  /** The last page when the end of the list was looked for last. */
  lastPage?: number;
  /** Newest responseId and date string settled. */
  highWater?: { responseId: number; completed: string };
  /** New responses that were dealt with so far, also by polls that have failed: by that a later one knows what they have found. */
  found?: number;
  /** Ids published whose ledger write failed: the survey publishes nothing until they are in the ledger. */
  pending?: LedgerEntry[];
  /** Answers in a row that had no metrics or metadata. */
  absent: { metrics: number; metadata: number };
  books?: Books;
  booksOpen?: BooksOpen;
  /** Full reads in a row that met an empty list although there had been responses. */
  emptyPasses?: number;
  /** The last event of closed books. */
  told?: ToldBooks;
  /** An event with a sequence number that has yet to be told: fixed before the bus gets it (R19). */
  untold?: OutgoingEvent;
  /** The ids that the books list. */
  listedIds?: IdsRef;
  /** `closedAt` of the books with which the ledger was compared last. */
  comparedAt?: number;
  pass?: FullRead;
  /** Epoch milliseconds before which no further full read begins; absent: at once. */
  nextPass?: number;
  /**
   * A scan below the head for what a count has shown: the first page of which not everything is dealt with, and new responses found.
   */
  search?: { page: number; found: number };
  rescan?: Rescan;
  /** Responses repaired so far, and more than once: repeated repairs need a look. */
  repairs?: { once: number; again: number };
  /** Epoch milliseconds of the next look for quarantined records whose time is over. */
  expiryLook?: number;
}

export function emptyMark(): Mark {
  return {
    phase: { kind: "new" },
    absent: { metrics: 0, metadata: 0 },
  };
}

/** Counts new responses that the ledger knows from now on, or will: `pending` ones are as good as entered. */
export function noteFound(mark: Mark, count: number): void {
  if (count > 0) mark.found = (mark.found ?? 0) + count;
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

// What the phase of a survey says, and the ways from one to the next.

/**
 * Where a survey stands, and so what its next poll does.
 *
 * | phase | next poll |
 * |---|---|
 * | new | reads all pages, as a backlog from page 1 |
 * | head | reads the head |
 * | backlog | works off a backlog that is too deep for a head scan, from `place` on |
 */
export type Phase = { kind: "new" } | FollowingHead | { kind: "backlog"; place: FullRead };

interface FollowingHead {
  kind: "head";
  /** The last page of a head scan with news that has not come to a clean end: the next one reads at least as far. */
  openTo?: number;
  /** Where the last head scan came to a clean end, and when (epoch milliseconds); absent where that read every page. */
  end?: { page: number; at: number };
}

interface InPhase {
  phase: Phase;
}

/** The place of a full read that is under way. */
export function placeOf({ phase }: InPhase): FullRead | undefined {
  return phase.kind === "backlog" ? phase.place : undefined;
}

/** The page down to which the next head scan has to read at least. */
export function openTo({ phase }: InPhase): number | undefined {
  return phase.kind === "head" ? phase.openTo : undefined;
}

/** Where the last head scan has ended; undefined when it has read every page. */
export function headEnd({ phase }: InPhase): { page: number; at: number } | undefined {
  return phase.kind === "head" ? phase.end : undefined;
}

/** A full read is under way from now on. */
export function beginAllPages(mark: InPhase, place: FullRead): void {
  mark.phase = { kind: "backlog", place };
}

/** Ends a backlog: from now on the head tells what is new. `end`: where a head scan has ended. */
export function followHead(mark: InPhase, end?: { page: number; at: number }): void {
  mark.phase = { kind: "head", ...(end === undefined ? {} : { end }) };
}

/** An event as it was made: of one type of the contract, with the detail that goes with it. */
export type OutgoingEvent = {
  [T in EventType]: {
    type: T;
    detail: DetailOf<T>;
    /** Epoch milliseconds of the detection. */
    time: number;
  };
}[EventType];
