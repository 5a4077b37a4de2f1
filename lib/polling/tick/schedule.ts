import type { RestDue, RestKind, SurveyRow } from "../model/account.ts";
import { areNews, shownAs } from "../publish/tell.ts";
import { isGone, type ListedSurvey } from "../survey-list.ts";

// One queue (R21 to R23): news first, then what is overdue by most of its own period. Pure functions over rows and the survey list.

/** A survey that is no longer listed is looked at once a day. */
const GONE_EVERY = 24 * 3_600_000;

/** Other work that is due for a survey. */
export interface RestTask extends ListedSurvey {
  kind: RestKind;
  /** By how many of its periods it is overdue. */
  overdue: number;
}

export interface DueTasks {
  /** The longest unpolled first: surveys that fail slowly at every tick must not take the whole of it from the others. */
  news: ListedSurvey[];
  /** The most overdue first. */
  rest: RestTask[];
}

/** The work that is due at `now` (epoch milliseconds). An attempt counts as work done: what fails each time leaves the others their turns. */
export function dueTasks(listed: readonly ListedSurvey[], rows: ReadonlyMap<number, SurveyRow>, now: number): DueTasks {
  const news: ListedSurvey[] = [];
  const rest: RestTask[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    // Events name their survey. Example: its first poll at 12:00 has failed, and at 12:01 the survey list fails, or does not name it.
    if (row?.polledAt === 0 && !survey.facts) continue;
    if (row === undefined || isDue(survey, row, now)) news.push(survey);
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

function isDue(survey: ListedSurvey, row: SurveyRow, now: number): boolean {
  const { facts, shown } = survey;
  const { dueAt, hint, counts, known, counted } = row;
  if (dueAt !== undefined && dueAt <= now) return true;
  // Subscribers are to be told of the survey itself, or of its counts.
  if (known !== undefined && facts !== undefined && known !== shownAs(facts)) return true;
  if (counted !== undefined && shown !== undefined && areNews(shown, counted, now)) return true;
  if (isGone(survey)) return false;
  // fault: hint-forgotten
  if (hint !== undefined && hint.missing > 0 && hint.nextAt <= now) return true;
  return survey.counts.some((count, i) => count !== null && count !== counts[i]);
}

function restOf(survey: ListedSurvey, { rest, polledAt }: SurveyRow): Partial<RestDue> {
  if (!isGone(survey)) return rest;
  return { rescan: { at: polledAt + GONE_EVERY, every: GONE_EVERY, triedAt: rest.rescan.triedAt } };
}
