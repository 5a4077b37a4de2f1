import type { AccountState, SurveyRow } from "../model/account.ts";
import type { PollResult } from "../survey/poll-survey.ts";

/** The figures of a source that are watched, as one tick shows them. None of them names a survey. */
export interface TickFigures {
  /** Responses listed that the last full passes could not account for. */
  unaccounted: number;
  /** Surveys whose last full pass did not reach the end that the head shows, or met an empty page before others. */
  rangeUnreachable: number;
  /** Events replaced because they were short, and those of them replaced before. */
  repaired: number;
  repairedAgain: number;
  /** Emitted responses whose records are no longer those of their event, by the passes that ended. */
  changed: number;
  /** Full passes that closed the books. */
  booksClosed: number;
  /** Surveys whose books were never closed, and milliseconds since those of any other were closed last: the oldest. */
  neverClosed: number;
  oldestBooks: number;
  /** Milliseconds by which the reading of a head that nothing asks for is late: what the background budget costs. */
  fullPollLate: number;
  /** Requests that background work has taken beyond its budget. */
  overdrawn: number;
}

type Polled = Extract<PollResult, { kind: "polled" }>;

export interface FiguresOf {
  rows: Map<number, SurveyRow>;
  polled: Polled[];
  /** Codes of the polls that failed. */
  failures: string[];
  account: Pick<AccountState, "overdrawn">;
  now: number;
  fullPollEvery: number;
}

export function figuresOf({ rows, polled, failures, account, now, fullPollEvery }: FiguresOf): TickFigures {
  const sum = (figure: (one: Polled) => number): number => polled.reduce((total, one) => total + figure(one), 0);
  const closed = polled.filter(({ closedNow }) => closedNow);
  const all = [...rows.values()];
  const ages = all.flatMap(({ booksAt }) => (booksAt === undefined ? [] : [now - booksAt]));
  return {
    unaccounted: sum(({ unaccounted }) => unaccounted),
    rangeUnreachable:
      polled.filter(({ booksOpen }) => booksOpen?.endsWith("unreachable") === true).length +
      failures.filter((code) => code === "RANGE_UNREACHABLE").length,
    repaired: sum(({ counts }) => counts.repaired),
    repairedAgain: sum(({ repairedAgain }) => repairedAgain),
    changed: closed.reduce((total, { books }) => total + (books?.changed ?? 0), 0),
    booksClosed: closed.length,
    neverClosed: all.length - ages.length,
    oldestBooks: Math.max(0, ...ages),
    fullPollLate: Math.max(0, ...all.map(({ polledAt }) => now - polledAt - fullPollEvery)),
    overdrawn: account.overdrawn ?? 0,
  };
}
