import { type SurveyCounts, surveyCounts, surveyFacts } from "../events/build/survey.ts";
import type { SurveyFacts } from "../events/index.ts";
import { readId } from "../json.ts";
import { concernsWholeSource, SurveyListUnreadableError } from "./errors.ts";
import type { AccountState } from "./model/account.ts";
import { COUNT_FIELDS, type PollingSource, selected } from "./model/source.ts";
import type { Ports } from "./ports.ts";

/** A survey in the survey list, as far as polling reads it. */
export interface ListedSurvey {
  surveyId: number;
  /** `responses`, `correct` and `unpaidResponses`: which of them moves with a completion is not shown. */
  counts: (number | null)[];
  /** Epoch milliseconds. */
  created: number | undefined;
  /** Null where the list does not name it; undefined where that was not read. */
  facts?: SurveyFacts | null;
  /** Undefined where the list was not read, or does not name it. */
  shown?: SurveyCounts;
}

export const isGone = ({ facts }: ListedSurvey): boolean => facts === null;

/** Surveys that are to be polled by their ids and are not listed; undefined where there are none. */
export function unlistedOf(listed: readonly ListedSurvey[], { surveys }: PollingSource): number[] | undefined {
  if (surveys === "all" || !("include" in surveys)) return undefined;
  const here = new Set(listed.filter((survey) => !isGone(survey)).map(({ surveyId }) => surveyId));
  const unlisted = surveys.include.filter((surveyId) => !here.has(surveyId));
  return unlisted.length === 0 ? undefined : unlisted;
}

export interface SurveyList {
  surveys: ListedSurvey[];
  /** Rows without an id that can be read: surveys that cannot be polled, known ones perhaps. */
  unreadable: number;
}

export function readSurveyList(items: unknown[]): SurveyList {
  const surveys = new Map<number, ListedSurvey>();
  let unreadable = 0;
  for (const item of items) {
    const fields = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    const surveyId = readId(fields.surveyId);
    if (surveyId === undefined) {
      unreadable += 1;
      continue;
    }
    const created = readId(fields.created);
    surveys.set(surveyId, {
      surveyId,
      counts: COUNT_FIELDS.map((name) => readId(fields[name]) ?? null),
      created: created === undefined ? undefined : created * 1000,
      facts: surveyFacts(fields),
      shown: surveyCounts(fields),
    });
  }
  return { surveys: [...surveys.values()], unreadable };
}

/** The surveys to care about. When the list fails or is empty, those known so far. One that the list does not name is gone, unless it may be one of the rows without an id. */
export async function surveysOf(
  ports: Ports,
  source: PollingSource,
  account: AccountState,
): Promise<{ listed: ListedSurvey[]; unreadable: number; failure?: unknown }> {
  const known = [...account.rows]
    .filter(([surveyId]) => selected(surveyId, source.surveys))
    .map(([surveyId, { counts }]): ListedSurvey => ({ surveyId, counts, created: undefined }));
  try {
    const { surveys, unreadable } = readSurveyList(await ports.service.surveys());
    if (unreadable > 0) ports.observe({ kind: "unreadable surveys", count: unreadable });
    if (surveys.length === 0 && unreadable > 0)
      throw new SurveyListUnreadableError(
        `none of the ${unreadable} rows of the survey list has a surveyId that can be read`,
        {
          retryable: true,
          hint: "The surveys known so far are polled all the same; ask the service's operator what has become of surveyId.",
        },
      );
    if (surveys.length === 0) return { listed: known, unreadable };
    const ids = new Set(surveys.map(({ surveyId }) => surveyId));
    const missing = known.filter(({ surveyId }) => !ids.has(surveyId));
    const here = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    return {
      listed: [...here, ...missing.map((survey) => (unreadable > 0 ? survey : { ...survey, facts: null }))],
      unreadable,
    };
  } catch (error) {
    if (concernsWholeSource(error) || known.length === 0) throw error;
    return { listed: known, unreadable: 0, failure: error };
  }
}
