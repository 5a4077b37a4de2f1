import type { SurveyFacts } from "../../events/index.ts";
import type { Books, BooksOpen, FullRead, IdsRef, ToldBooks } from "./books.ts";
import type { DetailKind, LedgerEntry } from "./ledger-entry.ts";
import type { FailingPage, KnownSurvey, Listed, OutgoingEvent, Rescan, SurveyState } from "./survey-state.ts";

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

/** What a full read is for. */
export type Purpose = "backlog" | "books";

/** The state of a survey after something has happened to it. */
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
