import type { RestDue, RestKind, SurveyRow } from "../model/account.ts";
import { areNews, shownAs } from "../publish/tell.ts";
import { isGone, type ListedSurvey } from "../survey-list.ts";

// One queue (R21 to R23): news first, then what is overdue by most of its own period. Pure functions over rows and the survey list.

/** A survey that is no longer listed is looked at once a day. */
const GONE_EVERY = 24 * 3_600_000;

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
