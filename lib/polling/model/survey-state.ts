import type { DetailOf, EventType, SurveyFacts } from "../../events/index.ts";
import type { Books, BooksOpen, FullRead, IdsRef, ToldBooks } from "./books.ts";
import type { DetailKind, LedgerEntry } from "./ledger-entry.ts";

/** Slow scans in doubling depth (R23). */
export interface Rescan {
  /** The next one, or the one that is under way, reads 2 ** step pages. */
  step: number;
  /** Epoch milliseconds from which on the list was read by the last one that is done. */
  doneAt: number;
  /** Where one that is under way goes on, and when it began (epoch milliseconds). */
  place?: { page: number; startedAt: number };
}

/** R9. */
export interface FailingPage {
  page: number;
  /** Polls in a row whose readings it has ended, and when the first and the last that failed at it took its lease (epoch milliseconds). */
  polls: number;
  since: number;
  pollAt: number;
}

/** A survey as the survey list showed it, null where it did not name it, and when that was read (epoch milliseconds). */
export interface Listed<Facts = SurveyFacts | null> {
  facts: Facts;
  at: number;
}

export interface KnownSurvey {
  /** Of the last `survey.changed` event; 0 before the first. */
  sequence: number;
  /** Null: it is not listed. */
  facts: SurveyFacts | null;
  /** A list that has shown it otherwise, until a later one says the same. */
  sight?: Listed;
}

/** The counts that were told last, as a whole number, and when the list showed them (epoch milliseconds). */
export interface CountsMark {
  shown: number;
  at: number;
}

/** A survey as a whole, as far as it is known. Only `next` makes another one of it. */
export interface SurveyState {
  readonly phase: Phase;
  readonly survey?: Listed<SurveyFacts>;
  readonly known?: KnownSurvey;
  /** `sequence` is that of the last `survey.counted` event. */
  readonly counted?: CountsMark & { sequence: number };
  /** Attempts in a row to read its questions that have failed, and when the first and the last did (epoch milliseconds). */
  readonly questionsFail?: { since: number; at: number; attempts: number };
  /** By the order in which it was read. */
  readonly failing?: { readonly asc?: readonly FailingPage[]; readonly desc?: readonly FailingPage[] };
  /** The last page when the end of the list was looked for last. */
  readonly lastPage?: number;
  /** Newest responseId and date string settled. */
  readonly highWater?: { responseId: number; completed: string };
  /** New responses that were dealt with so far, also by polls that have failed: by that a later one knows what they have found. */
  readonly found?: number;
  /** Ids published whose ledger write failed: the survey publishes nothing until they are in the ledger. */
  readonly pending?: readonly LedgerEntry[];
  /** Answers in a row that had no metrics or metadata. */
  readonly absent: Readonly<Record<DetailKind, number>>;
  readonly books?: Books;
  readonly booksOpen?: BooksOpen;
  /** Full reads in a row that met an empty list although there had been responses. */
  readonly emptyPasses?: number;
  readonly told?: ToldBooks;
  /** An event with a sequence number that has yet to be told: fixed before the bus gets it (R19). */
  readonly untold?: OutgoingEvent;
  /** The ids that the books list. */
  readonly listedIds?: IdsRef;
  /** `closedAt` of the books with which the ledger was compared last. */
  readonly comparedAt?: number;
  /** A full read for the books that is under way. */
  readonly pass?: FullRead;
  /** Epoch milliseconds before which no further full read begins; absent: at once. */
  readonly nextPass?: number;
  /** A scan below the head for what a count has shown: the first page of which not everything is dealt with, and new responses found. */
  readonly search?: { page: number; found: number };
  readonly rescan?: Rescan;
  /** Epoch milliseconds of the next look for quarantined records whose time is over. */
  readonly expiryLook?: number;
}

export const NEW_SURVEY: SurveyState = { phase: { kind: "new" }, absent: { metrics: 0, metadata: 0 } };

/** The right to work on a survey, with its state as it was when the lease was taken. */
export interface Lease {
  surveyId: number;
  owner: string;
  fence: number;
  /** Epoch milliseconds. */
  until: number;
  state: SurveyState;
  /** Set when it could not be prolonged meanwhile. */
  lost?: unknown;
}

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

/** An event as it was made: of one type of the contract, with the detail that goes with it. */
export type OutgoingEvent = {
  [T in EventType]: {
    type: T;
    detail: DetailOf<T>;
    /** Epoch milliseconds of the detection. */
    time: number;
  };
}[EventType];

/** What happens to a survey. Times are epoch milliseconds. */
export type SurveyEvent =
  | { kind: "listed"; survey: Listed<SurveyFacts> }
  | { kind: "known"; known: KnownSurvey }
  | { kind: "counted"; counted: NonNullable<SurveyState["counted"]> }
  | { kind: "questions answered" }
  | { kind: "questions failed"; at: number }
  | { kind: "details answered"; of: DetailKind; isAbsent: boolean }
  /** The pages that fail when it is read in this order. */
  | { kind: "pages failing"; order: "asc" | "desc"; pages: readonly FailingPage[] }
  | { kind: "end seen"; lastPage: number }
  /** New responses that the ledger knows from now on, or will: pending ones are as good as entered. */
  | { kind: "found"; count: number }
  | { kind: "emitted"; responseId: number; completed: string }
  | { kind: "unwritten"; entries: readonly LedgerEntry[] }
  | { kind: "written" }
  /** A full read goes on from its place. A backlog is the phase of its survey. */
  | { kind: "reading"; purpose: Purpose; read: FullRead }
  | { kind: "read"; purpose: Purpose }
  | { kind: "full read due"; at: number }
  /** A head scan with news reads down to this page at least, until one comes to a clean end. */
  | { kind: "head open"; page: number }
  | { kind: "head scanned"; end?: { page: number; at: number } | undefined }
  | { kind: "searching"; place: NonNullable<SurveyState["search"]> }
  | { kind: "searched" }
  | { kind: "rescan"; rescan: Rescan }
  | { kind: "books closed"; books: Books; listedIds: IdsRef; nextPass: number }
  | { kind: "books open"; why: BooksOpen; nextPass: number }
  /** The ledger was compared with the books of `closedAt`: so many emitted responses are listed no more. */
  | { kind: "compared"; closedAt: number; gone: number }
  | { kind: "outbox"; event: OutgoingEvent; books?: ToldBooks | undefined }
  | { kind: "told" }
  | { kind: "expiry look"; at: number };

export type Purpose = "backlog" | "books";

export function next(state: SurveyState, event: SurveyEvent): SurveyState {
  const { phase, books } = state;
  switch (event.kind) {
    case "listed":
      return { ...state, survey: event.survey };
    case "known":
      return { ...state, known: event.known };
    case "counted":
      return { ...state, counted: event.counted };
    case "questions answered":
      return without(state, "questionsFail");
    case "questions failed": {
      const { since, attempts } = state.questionsFail ?? { since: event.at, attempts: 0 };
      return { ...state, questionsFail: { since, at: event.at, attempts: attempts + 1 } };
    }
    case "details answered":
      return { ...state, absent: { ...state.absent, [event.of]: event.isAbsent ? state.absent[event.of] + 1 : 0 } };
    case "pages failing": {
      const { [event.order]: _, ...others } = state.failing ?? {};
      const failing = event.pages.length === 0 ? others : { ...others, [event.order]: event.pages };
      return Object.keys(failing).length === 0 ? without(state, "failing") : { ...state, failing };
    }
    case "end seen":
      return { ...state, lastPage: event.lastPage };
    case "found":
      return event.count === 0 ? state : { ...state, found: (state.found ?? 0) + event.count };
    case "emitted": {
      const { responseId = 0, completed = "" } = state.highWater ?? {};
      const newest = event.completed > completed ? event.completed : completed;
      return { ...state, highWater: { responseId: Math.max(event.responseId, responseId), completed: newest } };
    }
    case "unwritten":
      return { ...state, pending: [...(state.pending ?? []), ...event.entries] };
    case "written":
      return without(state, "pending");
    case "reading":
      if (event.purpose === "books") return { ...state, pass: event.read };
      return { ...state, phase: { kind: "backlog", place: event.read } };
    case "read":
      if (event.purpose === "books") return without(state, "pass");
      // A backlog of the newest pages says nothing of those below: they are looked for from the head on.
      return phase.kind === "backlog" && phase.place.begun > 1
        ? { ...state, phase: { kind: "head", end: { page: 1, at: phase.place.startedAt } } }
        : { ...state, phase: { kind: "head" } };
    case "full read due":
      return { ...state, nextPass: event.at };
    case "head open":
      return phase.kind === "head" ? { ...state, phase: { ...phase, openTo: event.page } } : state;
    case "head scanned":
      return { ...state, phase: { kind: "head", ...(event.end === undefined ? {} : { end: event.end }) } };
    case "searching":
      return { ...state, search: event.place };
    case "searched":
      return without(state, "search");
    case "rescan":
      return { ...state, rescan: event.rescan };
    case "books closed": {
      const { books, listedIds, nextPass } = event;
      // An empty list stays believed until it shows a response.
      const rest = books.listed > 0 ? without(state, "emptyPasses") : state;
      return { ...without(rest, "booksOpen"), books, listedIds, nextPass };
    }
    case "books open": {
      const { why, nextPass } = event;
      const isEmpty = why.code === "read-as-empty";
      return { ...state, booksOpen: why, nextPass, ...(isEmpty ? { emptyPasses: (state.emptyPasses ?? 0) + 1 } : {}) };
    }
    case "compared":
      return { ...state, comparedAt: event.closedAt, ...(books && { books: { ...books, gone: event.gone } }) };
    case "outbox":
      return { ...state, untold: event.event, ...(event.books && { told: event.books }) };
    case "told":
      return without(state, "untold");
    case "expiry look":
      return { ...state, expiryLook: event.at };
  }
}

function without<Name extends keyof SurveyState>(state: SurveyState, name: Name): Omit<SurveyState, Name> {
  const { [name]: _, ...rest } = state;
  return rest;
}
