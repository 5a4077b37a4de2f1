import { failureOf } from "../errors.ts";
import type { DetailKind } from "../model/ledger-entry.ts";
import type { Books } from "../model/mark.ts";
import { withheldOf } from "../model/poll-counts.ts";
import type { PollingSource } from "../model/source.ts";
import type { SliceSummary } from "../survey/catch-up-slice.ts";
import type { PollResult } from "../survey/poll-survey.ts";
import type { TickFigures } from "./tick-figures.ts";

/** The outcome of one survey's poll, for those who watch. */
export interface SurveySummary {
  surveyId: number;
  outcome: "polled" | "busy" | "failed";
  emitted: number;
  waiting: number;
  /** New responses and records that were quarantined, refused by the bus or held. */
  withheld: number;
  /** Whether there is work left that the next tick goes on with at once. */
  unfinished: boolean;
  books?: Books;
  booksOpen?: string;
  /** Code and message of the failure; nothing personal. */
  failure?: { code: string; message: string };
}

export interface TickSummary {
  source: string;
  listed: number;
  /** Rows of the survey list without an id that can be read, where there are any: nobody knows which surveys they are. */
  unreadableSurveys?: number;
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
  /** Set where another invocation does the tick of this source: this one has done nothing. */
  isBusy?: true;
}

/** One round of working off backlogs: what a slice of each survey came to. */
export interface BacklogRound {
  source: string;
  slices: SliceSummary[];
  /** Whether there is more to do at once. */
  goesOn: boolean;
  /** Epoch milliseconds by which slices have to end: before the next tick. */
  until: number;
}

export interface SurveyOutcome {
  result?: PollResult;
  error?: unknown;
}

export function summarize(surveyId: number, { result, error }: SurveyOutcome): SurveySummary {
  const nothing = { surveyId, emitted: 0, waiting: 0, withheld: 0, unfinished: true };
  const failed = error === undefined ? undefined : { outcome: "failed" as const, failure: failureOf(error) };
  if (result?.kind !== "polled") return { ...nothing, ...(failed ?? { outcome: "busy" }) };
  const { counts, books, booksOpen } = result;
  return {
    surveyId,
    outcome: "polled",
    emitted: counts.emitted,
    waiting: counts.waiting,
    withheld: withheldOf(counts),
    unfinished: counts.unfinished || counts.left > 0 || failed !== undefined,
    ...(books === undefined ? {} : { books }),
    ...(booksOpen === undefined ? {} : { booksOpen }),
    ...failed,
  };
}

/** The summary of a tick that asks the service for nothing: a pause outlasts it, or another invocation does it. */
export function idleTick({ name }: PollingSource, why: Partial<TickSummary>): TickSummary {
  return { source: name, listed: 0, surveys: [], unpolled: 0, behind: 0, outages: [], ...why };
}
