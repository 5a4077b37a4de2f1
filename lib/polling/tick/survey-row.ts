import type { SurveyRow } from "../model/account.ts";
import { placeOf } from "../model/phase.ts";
import type { BackgroundKind } from "../survey/background.ts";
import type { PollResult } from "../survey/poll-survey.ts";
import type { ListedSurvey } from "./survey-list.ts";
import { fullTrust, nextTrust } from "./trust.ts";
import { grownBy, nextUnmet } from "./unmet.ts";

/** Milliseconds from a list to the poll of a survey. Few responses complete in less time. */
const LATE = 10_000;

/** When things were, in epoch milliseconds: now, and when this tick and the one before it have read their lists. */
export interface RowTimes {
  now: number;
  tickAt?: number;
  listedAt?: number | undefined;
}

/**
 * The row of a survey after its poll: counts come last, once all that was seen is in the state. `slow`: the kind of background work, where it was polled for that
 * alone.
 */
export function nextRow(
  survey: ListedSurvey,
  row: SurveyRow | undefined,
  result: PollResult,
  { slow, ...times }: RowTimes & { slow: BackgroundKind | undefined },
): SurveyRow {
  const { slowDue, mark, known } = result;
  const counts = { ...result.counts, found: foundSince(row, result) };
  const { now, tickAt = now } = times;
  // By the list of this very tick the survey may have been polled already.
  const isAgain = row !== undefined && row.polledAt >= tickAt;
  // The index may not show yet what the last poll has just made wait.
  const awaited = row?.dueAt !== undefined && (row.dueAt > now || isAgain) ? [row.dueAt] : [];
  const dueAt = Math.min(...awaited, result.dueAt ?? Number.POSITIVE_INFINITY);
  const booksAt = mark.books?.closedAt;
  return {
    ...shownAfter(survey, row, { ...result, counts }, { ...times, isAgain }),
    slowAt: slowDue.rest.at,
    slowEvery: slowDue.rest.every,
    passAt: slowDue.pass.at,
    ...(booksAt === undefined ? {} : { booksAt }),
    ...(known === undefined ? {} : { known }),
    ...(mark.found === undefined ? {} : { found: mark.found }),
    workedAt: slow === undefined ? (row?.workedAt ?? now) : now,
    passedAt: slow === "pass" ? now : (row?.passedAt ?? now),
    restedAt: slow === "rest" ? now : (row?.restedAt ?? now),
    activeAt: counts.found + counts.repaired > 0 || row === undefined ? now : row.activeAt,
    ...(placeOf(mark) === undefined ? {} : { isBehind: true as const }),
    ...(dueAt === Number.POSITIVE_INFINITY ? {} : { dueAt }),
  };
}

/**
 * New responses met since the row was written, also by polls that have failed since. Those that a catch-up has met beside the ticks were there before, and settle
 * nothing of what counts have shown.
 */
function foundSince(row: SurveyRow | undefined, { counts, mark }: PollResult): number {
  if (row === undefined || row.isBehind === true) return counts.found;
  return Math.max(counts.found, (mark.found ?? 0) - (row.found ?? 0));
}

/** The counts that the survey is known by, what they have shown, and how far they can be trusted. Without a look at its head they stay as they were. */
function shownAfter(
  survey: ListedSurvey,
  row: SurveyRow | undefined,
  result: PollResult,
  { now, listedAt = now, isAgain }: RowTimes & { isAgain: boolean },
): Pick<SurveyRow, "counts" | "polledAt" | "trust" | "unmet"> {
  if (row !== undefined && !result.headRead) {
    const { counts, polledAt, trust } = row;
    return { counts, polledAt, trust, unmet: nextUnmet(0, row, result, now) };
  }
  const shown = { counts: survey.counts, polledAt: now };
  const grown = grownBy(survey.counts, row, result.mark.books);
  if (row === undefined) return { ...shown, trust: fullTrust, unmet: nextUnmet(grown, row, result, now) };
  const found = result.resumed ? 0 : result.counts.found;
  const trust = nextTrust(row.trust, { grown, found, missing: row.unmet.missing, isNewList: !isAgain });
  // Responses that completed after the list before, and were met by the poll that followed it late, are not missing once a list shows them. Otherwise a response
  // that no count ever shows would hide another one.
  const notMet = Math.max(0, grown - (row.polledAt - listedAt >= LATE ? row.trust.unseen : 0));
  return { ...shown, trust, unmet: nextUnmet(notMet, row, result, now) };
}
