import type { Origin } from "../events/index.ts";

/** State of a response in the ledger. Emitted and before-floor ones are settled. */
export type EntryState = "emitted" | "before-floor" | "open" | "waiting" | "quarantined";

/** The states in which an entry is looked at again by itself. */
export type CheckedState = Extract<EntryState, "waiting" | "open">;

/** One ledger item. Only waiting and quarantined ones hold records. Times are epoch milliseconds. */
export interface LedgerEntry {
  /** A record without a readable responseId is held under the digest of its JSON instead. */
  id: number | `record-${string}`;
  state: EntryState;
  digest?: string;
  /** Number of its records when it was emitted or last seen. */
  count?: number;
  eventId?: string;
  revision?: number;
  /** When it is looked at again; absent when never. */
  nextCheck?: number;
  firstSeen?: number;
  /** Attempts to get what it waits for. */
  attempts?: number;
  origin?: Origin;
  reason?: string;
  /** What is kept of it to go on without the list, or where that lies in the vault. */
  kept?: unknown;
  keptKey?: string;
}

/** Where history begins: `at` is a date string of the service, or null for the beginning. */
export interface Floor {
  at: string | null;
  /** Whether a response completed at exactly `at` is after the floor. */
  inclusive: boolean;
}

/** How an asc stream over a survey goes on after a crash or at the end of its time. */
export interface StreamPosition {
  /** The last page all of whose closed responses are in the state. */
  page: number;
  /** Why it runs: the very first pass over a survey, or a backlog too deep for a head scan. */
  purpose: "first-pass" | "catch-up";
}

/** A proof over one full pass: listed = emitted + before floor + open + waiting + quarantined. */
export interface Books {
  closedAt: number;
  listed: number;
  emitted: number;
  beforeFloor: number;
  open: number;
  waiting: number;
  quarantined: number;
}

/** What comparing responses joined from pages with operation 9 has shown of a survey. */
export interface Confirmation {
  /** Responses compared, and how many have gone by since the last one. */
  made: number;
  since: number;
  /** Comparisons in a row that said nothing. */
  silent: number;
  /** Whether operation 9 has equalled a response joined from pages: only then its contents are used. */
  trusted: boolean;
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
  /** Whether a head scan with news has begun and not come to a clean end. */
  headOpen?: boolean;
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
  /** Why the books are not closed. */
  booksOpen?: string;
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

/** How a count that moved without a find is followed up. */
export interface Chase {
  /** Responses that counts have shown and no scan has found. */
  missing: number;
  /** Ticks for which the head is read again: lists may lag behind counts. */
  owed: number;
  /** Pages that the next scan reads even though they hold nothing new; 0: no more than it has to. */
  depth: number;
  /** Epoch milliseconds before which no deeper scan begins. */
  deeperFrom: number;
}

/** What the tick knows of a survey without reading its mark: its last counts and when it is due by itself. */
export interface SurveyRow {
  /** `responses`, `correct` and `unpaidResponses` of the list that led to the last poll; null when unreadable. */
  counts: (number | null)[];
  chase: Chase;
  /** Epoch milliseconds; absent when nothing of it is due by itself. */
  dueAt?: number;
  polledAt: number;
}

export interface AccountState {
  /** Epoch milliseconds of the first tick that read the list. */
  firstTick?: number;
  /** Largest credible date string of the first tick. */
  sourceFloor?: string;
  /** Fingerprint of the service's base URL. */
  service?: string;
  lastTick?: number;
  /** Whether a page of fewer than 100 records was the last one whenever it was met. */
  shortPageEnds?: boolean;
  rows: Map<number, SurveyRow>;
}

export function emptyMark(): Mark {
  return {
    firstPassDone: false,
    absent: { metrics: 0, metadata: 0 },
    confirmation: { made: 0, since: 0, silent: 0, trusted: false, apart: false },
  };
}
