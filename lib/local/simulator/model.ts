import { type Change, createLife } from "./life.ts";
import { createOperations, type PageHook, peekPage } from "./operations.ts";
import { allRecords } from "./record-contents.ts";
import type { ListedRecord } from "./responses.ts";
import { defaultSettings, type SettingsPatch, withSettings } from "./settings.ts";
import { createCounts, type Survey, type SurveySpec, type SurveyTally } from "./survey.ts";
import { responseTruth, type TruthResponse } from "./truth.ts";

export interface ModelOptions {
  /** Everything that looks random comes from it; default 1. */
  seed?: number;
  surveys?: readonly SurveySpec[];
  settings?: SettingsPatch;
  /** The service's clock in epoch milliseconds; default Date.now. */
  now?: () => number;
}

export type Model = ReturnType<typeof createModel>;

/**
 * The survey service without a wire: surveys, responses, lists, counts and details, and what it answers to each request. It is synchronous,
 * and knows no other time than that of the clock it is given.
 *
 * @example createModel({ surveys: [{ surveyId: 7, responses: 250 }] }).answer({ operation: "surveys", parameters: {} })
 */
export function createModel({ seed = 1, now = Date.now, ...options }: ModelOptions = {}) {
  let current = withSettings(defaultSettings, options.settings ?? {});
  const settings = () => current;
  const surveys = new Map<number, Survey>();
  const changes = new Set<(change: Change) => void>();
  const changed = (change: Change) => {
    for (const hook of changes) hook(change);
  };
  const life = createLife(surveys, { seed, settings, now, changed });
  for (const spec of options.surveys ?? []) life.addSurvey(spec);
  const counts = createCounts(settings, now);
  counts.freeze(surveys.values());
  const hooks = { pages: new Set<PageHook>(), lists: new Set<() => void>() };
  const answer = createOperations({ surveys, settings, counts, hooks });
  const surveyOf = (surveyId: number): Survey => {
    const survey = surveys.get(surveyId);
    if (survey === undefined) throw new Error(`there is no survey ${surveyId}`);
    return survey;
  };

  return {
    ...life,
    /** The answer to a data request (all but the token). */
    answer,
    settings,
    /** Changes settings from the next request on. Throws a RangeError for impossible ones. */
    set(patch: SettingsPatch): void {
      current = withSettings(current, patch);
      if (patch.counts !== undefined) counts.freeze(surveys.values());
    },
    /** Runs `hook` at each page read: what it changes is seen by the next read. */
    onPageRead: (hook: PageHook) => added(hooks.pages, hook),
    /** Runs `hook` whenever the survey list is given out. */
    onSurveyList: (hook: () => void) => added(hooks.lists, hook),
    /** Runs `hook` whenever a response is completed or removed. */
    onChange: (hook: (change: Change) => void) => added(changes, hook),
    /** A page as it stands now: no request, counted and seen by nobody. */
    peek: (surveyId: number, page: number, order: "asc" | "desc") => peekPage(surveyOf(surveyId), page, order, current),
    /** The records of one response as they stand now, listed or not. */
    records(surveyId: number, responseId: number): readonly ListedRecord[] {
      const response = surveyOf(surveyId).find(responseId);
      return response === undefined ? [] : allRecords(surveyOf(surveyId), response, current);
    },
    addSurvey(spec: SurveySpec): void {
      life.addSurvey(spec);
      counts.freeze([surveyOf(spec.surveyId)]);
    },
    surveyIds: () => [...surveys.keys()],
    tally: (surveyId: number): SurveyTally => ({ ...surveyOf(surveyId).tally }),
    openIds: (surveyId: number) =>
      surveyOf(surveyId)
        .all()
        .filter(({ completedAt }) => completedAt === null)
        .map(({ responseId }) => responseId),
    has: (surveyId: number, responseId: number) => surveyOf(surveyId).find(responseId) !== undefined,
    /** Every completed response (of one survey) with its full contents, by survey and id. */
    truth: (surveyId?: number): TruthResponse[] =>
      (surveyId === undefined ? [...surveys.values()] : [surveyOf(surveyId)]).flatMap((survey) =>
        survey.all().flatMap((response) => responseTruth(survey, response, current) ?? []),
      ),
    /** One completed response, however large its survey. */
    truthOf: (surveyId: number, responseId: number) =>
      responseTruth(surveyOf(surveyId), surveyOf(surveyId).find(responseId), current),
  };
}

function added<T>(hooks: Set<T>, hook: T): () => void {
  hooks.add(hook);
  return () => void hooks.delete(hook);
}
