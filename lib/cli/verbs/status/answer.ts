import type { DetailKind } from "../../../polling/index.ts";
import { figure } from "../../words.ts";

// Times are epoch milliseconds, spans milliseconds. The page shows the same, so nothing of Node is in here.

/** A full read that is under way. */
export interface Backlog {
  page: number;
  pages: number | null;
  /** From 0 to 1. */
  part: number | null;
  /** The time that is left, as fast as the last minute or as the service allows; null while not known. */
  left: number | null;
  /** Of a first read in which all goes out: responses emitted so far, and about so many there will be, by the survey list. */
  emitted: number | null;
  expected: number | null;
}

/** The last closed books: listed is the sum of the others. */
interface ClosedBooks extends Record<CountedState, number> {
  listed: number;
  emitted: number;
  beforeStart: number;
  closedAt: number;
}
/** States in which the ledger counts responses now: all but the settled ones. */
export const COUNTED = ["open", "waiting", "held", "quarantined", "refused"] as const;
type CountedState = (typeof COUNTED)[number];

export interface SurveyStatus {
  source: string;
  surveyId: number;
  name: string | null;
  phase: "new" | "head" | "backlog";
  lastPoll: number | null;
  /** Since when its polls have failed; null after one that has not. */
  failingSince: number | null;
  highWater: { responseId: number; completed: string } | null;
  /** From the completion of the newest response to its event; null without a time zone, and in a backlog. */
  lag: number | null;
  /** Responses in these states as the ledger has them now. */
  now: Record<CountedState, number>;
  backlog: Backlog | null;
  books: ClosedBooks | null;
  /** Why the last full read has not closed the books. */
  booksOpen: string | null;
  /** Listed responses that the last full read could not account for. */
  unaccounted: number;
  /** Why nobody can say that it is complete, whatever its books say; null where nothing is wrong. */
  problem: string | null;
}

export interface SourceStatus {
  source: string;
  /** When the first tick has begun, and when one has come to its end last. */
  firstTick: number | null;
  lastTick: number | null;
  /** When a tick has read the survey list last: before lastTick, where the service is out of reach or refuses. */
  listedAt: number | null;
  /** The service is left alone until then: it has asked for that, or an operator has, since then. */
  pausedUntil: number | null;
  pausedSince: number | null;
  /** Requests a second that the service was found to allow; null while no limit was met. */
  rate: number | null;
  /** Operations that fail for every response. */
  outages: DetailKind[];
  /** Surveys that are to be polled by their ids, and that the survey list does not show. */
  unlisted: number[];
  /** Where history begins; null while that is not known. */
  start: { from: string; at: string | null; leftOut?: number[] } | null;
  /** Surveys that count responses and show none, which the start waits for. */
  awaits: number[];
  problem: string | null;
}

/** The output of `status --json`, beside `schemaVersion`. */
export interface StatusAnswer {
  verdict: "complete" | "working" | "late" | "withheld" | "unaccounted" | "unknown";
  sentence: string;
  /** The command that mends it. */
  next: string | null;
  listed: number;
  accounted: number;
  /** When the oldest of the closed books were closed. */
  provedAt: number | null;
  /** Of npm start, on a data folder; null for a stack. */
  run: "at work" | "ended" | null;
  /** How the last run on a data folder ended, null while it is at work or broke off; `cause` is null where it ended as it should. */
  end: { at: number; cause: string | null } | null;
  sources: SourceStatus[];
  surveys: SurveyStatus[];
}

/** The sign of each verdict, in a terminal and on the page. */
export const GLYPHS: Readonly<Record<StatusAnswer["verdict"], string>> = {
  complete: "●",
  working: "◐",
  unknown: "◐",
  late: "▲",
  withheld: "■",
  unaccounted: "■",
};

/** Responses that do not go out as they are. */
export function withheldIn({ now }: Pick<SurveyStatus, "now">): number {
  return now.held + now.quarantined + now.refused;
}

/** "20 held, 3 quarantined", of what does not go out. */
export function withheldText(surveys: readonly Pick<SurveyStatus, "now">[]): string {
  const kinds = (["held", "quarantined", "refused"] as const).flatMap((kind) => {
    const number = sumOf(surveys, ({ now }) => now[kind]);
    return number === 0 ? [] : [`${figure(number)} ${kind}`];
  });
  return kinds.join(", ");
}

/** By which reading a response was found, by the `origin` of its event. */
export const ORIGINS: Readonly<Record<string, string>> = {
  head: "by reading the head of the list",
  backlog: "by the full read of a backlog",
  search: "by a scan below the head",
  rescan: "by a rescan",
  "full-read": "by a full read for the books",
  recheck: "by a re-check of open or held ones",
  replay: "at an operator's request",
};

/** How much a survey needs to be looked at, from 0 to 5: the worst come first. */
export function severityOf(survey: SurveyStatus): number {
  const { unaccounted, books, booksOpen, backlog, now, problem } = survey;
  if (unaccounted > 0) return 5;
  if (withheldIn(survey) > 0) return 4;
  if (problem !== null) return 3;
  if (backlog !== null || now.waiting > 0) return 2;
  return books === null || booksOpen !== null ? 1 : 0;
}

/** "532 of about 20,000 emitted, done about 18:20 UTC", of as many first reads as there are. */
export function emittedText(walks: readonly Backlog[], whenIn: (milliseconds: number) => string): string {
  const isKnown = walks.every((walk) => walk.expected !== null);
  const expected = isKnown ? ` of about ${figure(sumOf(walks, (walk) => walk.expected ?? 0))}` : "";
  const isTimed = walks.every((walk) => walk.left !== null);
  const end = isTimed ? `, done ${whenIn(Math.max(...walks.map((walk) => walk.left ?? 0)))}` : "";
  return `${figure(sumOf(walks, (walk) => walk.emitted ?? 0))}${expected} emitted${end}`;
}

export function sumOf<T>(all: readonly T[], figureOf: (one: T) => number): number {
  return all.reduce((total, one) => total + figureOf(one), 0);
}
