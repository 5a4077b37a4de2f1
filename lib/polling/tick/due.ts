import type { SurveyRow } from "../model/account.ts";
import { asksForHead, asksForSearch } from "./chase.ts";
import type { ListedSurvey } from "./survey-list.ts";
import { trusts } from "./trust.ts";

/** A survey that is no longer listed is looked at once a day. */
const GONE_EVERY = 24 * 3_600_000;

/** A survey that is due for news. */
export interface DueSurvey extends ListedSurvey {
  /** New responses that the counts have shown and that are to be looked for below the head. */
  seek: number;
}

/** A survey with slow work to do. */
export interface BackgroundSurvey extends ListedSurvey {
  /** Whether its head is to be read although nothing asks for it. */
  fullPoll: boolean;
}

export interface DueBy {
  /** Epoch milliseconds. */
  now: number;
  fullPollEvery: number;
}

/**
 * The surveys that something asks to poll at this tick, longest unpolled first. Those that fail slowly at every tick must not take
 * the whole of it from the others: an attempt counts as well.
 */
export function dueSurveys(listed: ListedSurvey[], rows: Map<number, SurveyRow>, by: DueBy): DueSurvey[] {
  const due: DueSurvey[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    const isSearched = row !== undefined && !survey.isGone && asksForSearch(row.chase, by.now);
    const seek = isSearched ? row.chase.missing : 0;
    if (row === undefined || isSearched || asksForPoll(survey, row, by)) due.push({ ...survey, seek });
  }
  const triedAt = ({ surveyId }: ListedSurvey): number => {
    const row = rows.get(surveyId);
    return row === undefined ? 0 : Math.max(row.polledAt, row.workedAt);
  };
  return due.sort((a, b) => triedAt(a) - triedAt(b));
}

/**
 * The surveys with slow work to do, most urgent first: those that have waited longest in relation to how long they have
 * been quiet, so that active ones go first and none starves.
 */
export function backgroundSurveys(
  listed: ListedSurvey[],
  rows: Map<number, SurveyRow>,
  { now, fullPollEvery }: DueBy,
): BackgroundSurvey[] {
  const due: { survey: BackgroundSurvey; urgency: number }[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    if (row === undefined) continue;
    const fullPoll = row.polledAt + (survey.isGone === true ? GONE_EVERY : fullPollEvery) <= now;
    const slow = !survey.isGone && row.backgroundAt !== undefined && row.backgroundAt <= now;
    if (!fullPoll && !slow) continue;
    const asked = [fullPoll ? row.polledAt + fullPollEvery : now, slow ? (row.backgroundAt ?? 0) : now];
    const since = Math.max(Math.min(...asked), row.workedAt);
    const urgency = (now - since) / (fullPollEvery + Math.max(0, now - row.activeAt));
    due.push({ survey: { ...survey, fullPoll }, urgency });
  }
  return due.sort((a, b) => b.urgency - a.urgency).map(({ survey }) => survey);
}

function asksForPoll(survey: ListedSurvey, row: SurveyRow, { now }: DueBy): boolean {
  if (row.dueAt !== undefined && row.dueAt <= now) return true;
  if (survey.isGone) return false;
  if (asksForHead(row.chase) || !trusts(row.trust)) return true;
  // Without a single readable count there is no hint, and the survey is polled each tick.
  if (survey.counts.every((count) => count === null)) return true;
  return survey.counts.some((count, i) => count !== row.counts[i]);
}
