import type { Hint, RestDue, RestKind, SurveyRow } from "../model/account.ts";
import { placeOf } from "../model/survey-state.ts";
import type { PollResult } from "../poll-survey.ts";
import { areNews, shownAs } from "../publish/tell.ts";
import { isGone, type ListedSurvey } from "./survey-list.ts";

// One queue (R21 to R23): news first, then what is overdue by most of its own period. Pure functions over rows and the survey list.

/** A survey that is no longer listed is looked at once a day. */
const GONE_EVERY = 24 * 3_600_000;
/** Milliseconds for which a hint in vain rests, twice as long each time. */
const FIRST_REST = 3_600_000;
const LONGEST_REST = 24 * 3_600_000;

const NEVER: RestDue[RestKind] = { at: Number.POSITIVE_INFINITY, every: 1, triedAt: 0 };

/** The row of a survey of which no poll has come to its end: its head is due. */
export const UNPOLLED: SurveyRow = {
  counts: [null, null, null],
  ...{ dueAt: 0, polledAt: 0, workedAt: 0 },
  rest: { recheck: NEVER, rescan: NEVER, "full read": NEVER },
};

/** A survey that is due for news. */
export interface NewsTask extends ListedSurvey {
  /** Whether its head is read; else the list alone has something to tell of it. */
  head: boolean;
}

/** Other work that is due for a survey. */
export interface RestTask extends ListedSurvey {
  kind: RestKind;
  /** By how many of its periods it is overdue. */
  overdue: number;
}

export interface DueTasks {
  /** The longest unpolled first: surveys that fail slowly at every tick must not take the whole of it from the others. */
  news: NewsTask[];
  /** The most overdue first. */
  rest: RestTask[];
}

/** The work that is due at `now` (epoch milliseconds). An attempt counts as work done: what fails each time leaves the others their turns. */
export function dueTasks(listed: readonly ListedSurvey[], rows: ReadonlyMap<number, SurveyRow>, now: number): DueTasks {
  const news: NewsTask[] = [];
  const rest: RestTask[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    const head = row === undefined || asksForHead(survey, row, now);
    if (head || isShownOtherwise(survey, row) || isCountDue(survey, row, now)) news.push({ ...survey, head });
    if (row === undefined || row.isBehind === true) continue;
    for (const [kind, { at, every, triedAt }] of Object.entries(restOf(survey, row)) as [
      RestKind,
      RestDue[RestKind],
    ][]) {
      if (at <= now) rest.push({ ...survey, kind, overdue: (now - Math.max(at, triedAt)) / every });
    }
  }
  const triedAt = ({ surveyId }: ListedSurvey): number => {
    const row = rows.get(surveyId);
    return row === undefined ? 0 : Math.max(row.polledAt, row.workedAt);
  };
  return {
    news: news.sort((a, b) => triedAt(a) - triedAt(b)),
    rest: rest.sort((a, b) => b.overdue - a.overdue),
  };
}

function asksForHead(survey: ListedSurvey, { dueAt, hint, counts }: SurveyRow, now: number): boolean {
  if (dueAt !== undefined && dueAt <= now) return true;
  if (isGone(survey)) return false;
  // fault: hint-forgotten
  if (hint !== undefined && hint.missing > 0 && hint.nextAt <= now) return true;
  return survey.counts.some((count, i) => count !== null && count !== counts[i]);
}

/** Whether the list shows a survey otherwise than subscribers know it. */
function isShownOtherwise({ facts }: ListedSurvey, row: SurveyRow): boolean {
  return row.known !== undefined && facts !== undefined && row.known !== shownAs(facts);
}

/** Whether subscribers are to be told of the counts that the list shows. */
function isCountDue({ shown }: ListedSurvey, { counted }: SurveyRow, now: number): boolean {
  return shown !== undefined && counted !== undefined && areNews(shown, counted, now);
}

function restOf(survey: ListedSurvey, { rest, polledAt }: SurveyRow): Partial<RestDue> {
  if (!isGone(survey)) return rest;
  return { rescan: { at: polledAt + GONE_EVERY, every: GONE_EVERY, triedAt: rest.rescan.triedAt } };
}

/** What a poll came to, as far as hints go. */
export type HintPoll = Pick<PollResult, "grown" | "sought" | "below" | "resumed" | "closedNow"> & { found: number };

/**
 * The hint after a poll. A count that moves without a find at the head is one: below the head it is looked for at once. In vain it rests for an hour, then for two, up
 * to a day. A find below the head ends the rest. Books that close have met all that counts show. What was found beyond what counts had shown is taken off what they
 * show next.
 *
 * Example: a count moves at 12:00 for a response that has only been started. The list is read to its end at 12:00, at 13:00 and at 15:00. Or it moves for a response, and
 * another one completes before the head is read: what moves at 12:01 for that one is no hint.
 */
export function nextHint(
  hint: Hint | undefined,
  { grown, sought, below, found, ...poll }: HintPoll,
  now: number,
): Hint | undefined {
  // A backlog meets what was there before it. What counts show beyond the news above it is looked for once it is done.
  if (poll.resumed) {
    const more = Math.max(0, grown - found);
    return more === 0 ? hint : { tries: 0, nextAt: now, ...hint, missing: (hint?.missing ?? 0) + more };
  }
  const before = poll.closedNow ? 0 : (hint?.missing ?? 0);
  const missing = before + grown + sought - found;
  if (missing === 0) return undefined;
  // Only where counts have moved they may be behind what was found.
  if (missing < 0 && grown === 0) return before < 0 ? hint : undefined;
  const { tries = 0, nextAt = now } = below === "found" ? {} : (hint ?? {});
  if (below === "vain")
    return { missing, tries: tries + 1, nextAt: now + Math.min(LONGEST_REST, FIRST_REST * 2 ** tries) };
  return { missing, tries, nextAt: sought > 0 ? now : nextAt };
}

/** The row of a survey after its poll: counts come last, once all that was seen is in the state. `kind`: where it was polled for that alone. */
export function nextRow(
  survey: ListedSurvey,
  row: SurveyRow | undefined,
  result: PollResult,
  { now, tickAt, kind }: { now: number; tickAt: number; kind: RestKind | undefined },
): SurveyRow {
  const { state, known, counted, rest, headRead, failure } = result;
  const found = foundSince(row, result);
  const hint = nextHint(row?.hint, { ...result, found }, now);
  // The index may not show yet what the last poll has just made wait; by the list of this very tick the survey may have been polled already.
  const awaits = row?.dueAt !== undefined && (row.dueAt > now || row.polledAt >= tickAt);
  const dueAt = Math.min(
    awaits ? (row.dueAt ?? 0) : Number.POSITIVE_INFINITY,
    result.dueAt ?? Number.POSITIVE_INFINITY,
  );
  const booksAt = state.books?.closedAt;
  const tried = (one: RestKind): number => (kind === one ? now : (row?.rest[one].triedAt ?? now));
  return {
    counts: headRead || row === undefined ? survey.counts : row.counts,
    polledAt: headRead || row === undefined ? now : row.polledAt,
    rest: {
      recheck: { ...rest.recheck, triedAt: tried("recheck") },
      rescan: { ...rest.rescan, triedAt: tried("rescan") },
      "full read": isGone(survey) ? NEVER : { ...rest["full read"], triedAt: tried("full read") },
    },
    ...(hint === undefined ? {} : { hint }),
    ...(failure === undefined ? {} : { failingSince: row?.failingSince ?? now }),
    ...(booksAt === undefined ? {} : { booksAt }),
    ...(known === undefined ? {} : { known }),
    ...(counted === undefined ? {} : { counted }),
    ...(state.found === undefined ? {} : { found: state.found }),
    workedAt: kind === undefined ? (row?.workedAt ?? now) : now,
    ...(placeOf(state) === undefined ? {} : { isBehind: true as const }),
    ...(dueAt === Number.POSITIVE_INFINITY ? {} : { dueAt }),
  };
}

/**
 * New responses met since the row was written, also by polls that have failed since. Those that a backlog has met beside the ticks were there before, and settle
 * nothing of what counts have shown.
 */
function foundSince(row: SurveyRow | undefined, { counts, state }: PollResult): number {
  if (row === undefined || row.isBehind === true) return counts.found;
  return Math.max(counts.found, (state.found ?? 0) - (row.found ?? 0));
}
