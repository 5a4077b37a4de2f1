import type { SurveyRow } from "../model/account.ts";
import { type Due, overdue } from "../rescan-levels.ts";
import type { BackgroundKind } from "../survey/background.ts";
import { shownAs } from "../survey/tell-survey.ts";
import { isGone, type ListedSurvey } from "./survey-list.ts";
import { trusts } from "./trust.ts";
import { asksForHead, asksForSearch } from "./unmet.ts";

/** A survey that is no longer listed is looked at once a day. */
const GONE_EVERY = 24 * 3_600_000;

/** A survey that is due for news. */
export interface DueSurvey extends ListedSurvey {
  /** New responses that the counts have shown and that are to be looked for below the head. */
  seek: number;
  /** Whether its head is read; else the list alone has something to tell of it. */
  head: boolean;
}

/** A survey with slow work to do. */
export interface BackgroundSurvey extends ListedSurvey {
  /** Set where its head is to be read although nothing asks for it. */
  fullPoll?: Due;
}

export interface DueBy {
  /** Epoch milliseconds. */
  now: number;
  fullPollEvery: number;
  fullPassEvery: number;
}

/**
 * The surveys that something asks to poll at this tick, longest unpolled first. An attempt counts as a poll: surveys that fail slowly at every tick must not take
 * the whole of it from the others.
 */
export function dueSurveys(listed: ListedSurvey[], rows: Map<number, SurveyRow>, by: DueBy): DueSurvey[] {
  const due: DueSurvey[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    const isSearched = row !== undefined && !isGone(survey) && asksForSearch(row.unmet, by.now);
    const seek = isSearched ? row.unmet.missing : 0;
    const head = row === undefined || isSearched || asksForPoll(survey, row, by);
    if (head || isShownOtherwise(survey, row)) due.push({ ...survey, seek, head });
  }
  const triedAt = ({ surveyId }: ListedSurvey): number => {
    const row = rows.get(surveyId);
    return row === undefined ? 0 : Math.max(row.polledAt, row.workedAt);
  };
  return due.sort((a, b) => triedAt(a) - triedAt(b));
}

/**
 * The surveys with slow work of a kind to do: first those that are overdue by most of their periods. An attempt counts as well: those that fail each
 * time, and those that need many slices, leave the others their turns.
 */
export function backgroundSurveys(
  listed: ListedSurvey[],
  rows: Map<number, SurveyRow>,
  { now, fullPollEvery, fullPassEvery }: DueBy,
  kind: BackgroundKind,
): BackgroundSurvey[] {
  const due: { survey: BackgroundSurvey; by: number }[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    if (row === undefined) continue;
    const pollEvery = isGone(survey) ? GONE_EVERY : fullPollEvery;
    const poll: Due = { at: row.polledAt + pollEvery, every: pollEvery };
    const rest: Due = { at: row.slowAt, every: row.slowEvery };
    const slow = kind === "pass" ? { at: row.passAt, every: fullPassEvery } : rest;
    const works = [...(kind === "rest" ? [poll] : []), ...(isGone(survey) ? [] : [slow])];
    const dues = works.filter(({ at }) => at <= now);
    if (dues.length === 0) continue;
    const turnAt = kind === "pass" ? row.passedAt : row.restedAt;
    const by = Math.max(...dues.map(({ at, every }) => overdue({ at: Math.max(at, turnAt), every }, now)));
    due.push({ survey: { ...survey, ...(dues.includes(poll) ? { fullPoll: poll } : {}) }, by });
  }
  return due.sort((a, b) => b.by - a.by).map(({ survey }) => survey);
}

/** Whether the list shows a survey otherwise than subscribers know it. */
function isShownOtherwise({ facts }: ListedSurvey, row: SurveyRow): boolean {
  return row.known !== undefined && facts !== undefined && row.known !== shownAs(facts);
}

function asksForPoll(survey: ListedSurvey, row: SurveyRow, { now }: DueBy): boolean {
  if (row.dueAt !== undefined && row.dueAt <= now) return true;
  if (isGone(survey)) return false;
  // fault: counts-always-trusted
  if (asksForHead(row.unmet) || !trusts(row.trust)) return true;
  // Without a single readable count there is no hint, and the survey is polled each tick.
  if (survey.counts.every((count) => count === null)) return true;
  return survey.counts.some((count, i) => count !== row.counts[i]);
}
