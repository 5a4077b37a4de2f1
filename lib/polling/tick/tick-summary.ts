import { errorCode, type ToldFailure } from "../../errors.ts";
import { failureOf } from "../errors.ts";
import type { SurveyRow } from "../model/account.ts";
import { type Books, type BooksOpen, isUnreachable, unaccountedOf } from "../model/books.ts";
import type { DetailKind } from "../model/ledger-entry.ts";
import type { PollingSource } from "../model/source.ts";
import type { PollResult, SurveyOutcome } from "../poll-survey.ts";

/** The outcome of one survey's poll, for those who watch. */
export interface SurveySummary {
  surveyId: number;
  outcome: "polled" | "busy" | "failed";
  waiting: number;
  /** Whether there is work left that the next tick goes on with at once. */
  unfinished: boolean;
  books?: Books;
  booksOpen?: BooksOpen;
  /** Code and message of the failure; nothing personal. */
  failure?: ToldFailure;
}

export interface TickSummary {
  source: string;
  listed: number;
  /** Rows of the survey list without an id that can be read, where there are any: nobody knows which surveys they are. */
  unreadableSurveys?: number;
  /** Surveys that are to be polled by their ids and are not listed. */
  unlisted?: number[];
  surveys: SurveySummary[];
  /** Due surveys that this tick had no time for. */
  unpolled: number;
  /** Surveys that are being caught up: this goes on beside the ticks. */
  behind: number;
  /** The operations that fail for the whole source: responses wait for them, however long it takes. */
  outages: DetailKind[];
  /** The figures to be watched; absent when the tick ended before it had polled anything. */
  figures?: TickFigures;
  /** Epoch milliseconds until which the service is to be left alone: the tick ended before it asked for anything. */
  pausedUntil?: number;
  /** Set where an operator has paused the source: since when. */
  pausedSince?: number;
  /** Set where it is not known yet where history begins: nothing was polled. */
  awaitsStart?: true;
  /** Set where another invocation does the tick of this source: this one has done nothing. */
  isBusy?: true;
}

/** The figures of a source that are watched, as one tick shows them. None of them names a survey. */
export interface TickFigures {
  /** Responses listed that the last full reads could not account for. */
  unaccounted: number;
  /** Surveys whose last full read did not reach the end that the head shows, or met an empty page before others. */
  rangeUnreachable: number;
  /** Events replaced because they were short, and those of them replaced before. */
  repaired: number;
  repairedAgain: number;
  /** Emitted responses whose records are no longer those of their event, by the full reads that ended. */
  changed: number;
  /** Full reads that closed the books. */
  booksClosed: number;
  /** Milliseconds for which the polls of a survey have failed: the longest. */
  failing: number;
  /** Surveys whose books were never closed, and milliseconds since those of any other were closed last: the oldest. */
  neverClosed: number;
  oldestBooks: number;
  /** Milliseconds by which the reading of a head that nothing asks for is late: what the background budget costs. */
  fullPollLate: number;
  /** Requests that background work has taken beyond its budget. */
  overdrawn: number;
}

export function summarize(surveyId: number, { result, error }: SurveyOutcome): SurveySummary {
  const nothing = { surveyId, waiting: 0, unfinished: true };
  const failed = error === undefined ? undefined : { outcome: "failed" as const, failure: failureOf(error) };
  if (result === undefined) return { ...nothing, ...(failed ?? { outcome: "busy" }) };
  const { counts, state } = result;
  const { books, booksOpen } = state;
  return {
    surveyId,
    outcome: "polled",
    waiting: counts.waiting,
    unfinished: counts.unfinished || counts.left > 0 || failed !== undefined,
    ...(books === undefined ? {} : { books }),
    ...(booksOpen === undefined ? {} : { booksOpen }),
    ...failed,
  };
}

/** The figures that the outcomes of a tick, and the rows of the surveys that are listed, come to. */
export function figuresOf(
  outcomes: SurveyOutcome[],
  rows: readonly SurveyRow[],
  { now, overdrawn }: { now: number; overdrawn: number },
): TickFigures {
  const polled = outcomes.flatMap(({ result }) => result ?? []);
  const sum = (figure: (one: PollResult) => number): number => polled.reduce((total, one) => total + figure(one), 0);
  const isKept = ({ booksAt, rest }: SurveyRow): boolean => booksAt !== undefined && rest["full read"].at < Infinity;
  const unreachable = outcomes.filter(({ error }) => errorCode(error) === "RANGE_UNREACHABLE").length;
  return {
    unaccounted: sum(({ state }) => unaccountedOf(state)),
    rangeUnreachable: sum(({ state }) => (isUnreachable(state.booksOpen) ? 1 : 0)) + unreachable,
    repaired: sum(({ counts }) => counts.repaired),
    repairedAgain: sum(({ counts }) => counts.repairedAgain),
    changed: sum(({ closedNow, state }) => (closedNow ? (state.books?.changed ?? 0) : 0)),
    booksClosed: sum(({ closedNow }) => (closedNow ? 1 : 0)),
    failing: Math.max(0, ...rows.map(({ failingSince = now }) => now - failingSince)),
    neverClosed: rows.filter(({ booksAt }) => booksAt === undefined).length,
    oldestBooks: Math.max(0, ...rows.filter(isKept).map(({ booksAt = now }) => now - booksAt)),
    fullPollLate: Math.max(0, ...rows.map(({ rest }) => now - rest.rescan.at)),
    overdrawn,
  };
}

/** The summary of a tick that asks the service for nothing: a pause outlasts it, or another invocation does it. */
export function idleTick({ name }: PollingSource, why: Partial<TickSummary>): TickSummary {
  return { source: name, listed: 0, surveys: [], unpolled: 0, behind: 0, outages: [], ...why };
}
