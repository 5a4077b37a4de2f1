import { chaseDueAt } from "./chase.ts";
import { readId } from "./records.ts";
import type { SurveyRow } from "./state-types.ts";

/** What the survey list says of one survey, as far as polling reads it. */
export interface ListedSurvey {
  surveyId: number;
  /** `responses`, `correct` and `unpaidResponses`: which of them moves with a completion is not shown. */
  counts: (number | null)[];
  /** Epoch milliseconds. */
  created: number | undefined;
}

export type Selection = "all" | { include: number[] } | { exclude: number[] };

/** Why a survey is polled now: news is what the counts or its own state ask for, background what nobody asked for. */
export interface DueSurvey extends ListedSurvey {
  reason: "first" | "news" | "background";
}

export function readSurveyList(items: unknown[]): ListedSurvey[] {
  const surveys = new Map<number, ListedSurvey>();
  for (const item of items) {
    const fields = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    const surveyId = readId(fields.surveyId);
    if (surveyId === undefined) continue;
    const created = readId(fields.created);
    surveys.set(surveyId, {
      surveyId,
      counts: ["responses", "correct", "unpaidResponses"].map((name) => readId(fields[name]) ?? null),
      created: created === undefined ? undefined : created * 1000,
    });
  }
  return [...surveys.values()];
}

export function selected(surveyId: number, selection: Selection): boolean {
  if (selection === "all") return true;
  return "include" in selection ? selection.include.includes(surveyId) : !selection.exclude.includes(surveyId);
}

/** The surveys to poll at this tick, longest unpolled first; at most `background` that nothing asks for. */
export function dueSurveys(
  listed: ListedSurvey[],
  rows: Map<number, SurveyRow>,
  options: { now: number; fullPollEvery: number; background: number },
): DueSurvey[] {
  const news: DueSurvey[] = [];
  const overdue: DueSurvey[] = [];
  for (const survey of listed) {
    const row = rows.get(survey.surveyId);
    if (row === undefined) news.push({ ...survey, reason: "first" });
    else if (asksForPoll(survey, row, options.now)) news.push({ ...survey, reason: "news" });
    else if (row.polledAt + options.fullPollEvery <= options.now) overdue.push({ ...survey, reason: "background" });
  }
  const polledAt = (survey: ListedSurvey): number => rows.get(survey.surveyId)?.polledAt ?? 0;
  const longestFirst = (a: ListedSurvey, b: ListedSurvey): number => polledAt(a) - polledAt(b);
  return [...news.sort(longestFirst), ...overdue.sort(longestFirst).slice(0, options.background)];
}

function asksForPoll(survey: ListedSurvey, row: SurveyRow, now: number): boolean {
  const chasedAt = chaseDueAt(row.chase);
  if ((row.dueAt !== undefined && row.dueAt <= now) || (chasedAt !== undefined && chasedAt <= now)) return true;
  // Without a single readable count there is no hint, and the survey is polled each tick.
  return survey.counts.every((count) => count === null) || survey.counts.some((count, i) => count !== row.counts[i]);
}
