import { hash32 } from "./hashing.ts";
import { createOperations, type Hooks, peekPage } from "./operations.ts";
import {
  allRecords,
  drawnRecords,
  durationSeconds,
  type ListedRecord,
  type Overrides,
  recordCount,
  repeatOf,
  type SimulatedResponse,
} from "./responses.ts";
import { defaultSettings, type Settings, type SettingsPatch, withSettings } from "./settings.ts";
import { createSurvey, type Survey, type SurveySpec, type SurveyTally } from "./survey.ts";
import { enrichmentAnswer, listedFacts } from "./survey-bodies.ts";

export interface ModelOptions {
  /** Everything that looks random comes from it; default 1. */
  seed?: number;
  surveys?: readonly SurveySpec[];
  settings?: SettingsPatch;
  /** The service's clock in epoch milliseconds; default Date.now. */
  now?: () => number;
}

/** Something has happened to a response; `at` in epoch milliseconds. */
export interface Change {
  kind: "completed" | "removed";
  surveyId: number;
  responseId: number;
  at: number;
}

export type Model = ReturnType<typeof createModel>;

/**
 * The survey service without a wire: surveys, responses, lists, counts and details, and what it answers to each request. It is synchronous,
 * and knows no other time than that of the clock it is given. What is done to a survey or response that does not exist throws.
 *
 * @example createModel({ surveys: [{ surveyId: 7, responses: 250 }] }).answer({ operation: "surveys", parameters: {} })
 */
export function createModel({ seed = 1, now = Date.now, ...options }: ModelOptions = {}) {
  let settings = withSettings(defaultSettings, options.settings ?? {});
  const surveys = new Map<number, Survey>();
  const changes = new Set<(change: Change) => void>();
  const hooks: Hooks = { pages: new Set(), lists: new Set() };
  // Ids are given out through the whole account, in the order in which responses begin.
  let nextId = 1000 + (hash32(seed, 90) % 100_000);
  for (const spec of options.surveys ?? []) addSurvey(spec);

  function changed(change: Change): void {
    for (const hook of changes) hook(change);
  }

  function surveyOf(surveyId: number): Survey {
    const found = surveys.get(surveyId);
    if (found === undefined) throw new Error(`there is no survey ${surveyId}`);
    return found;
  }

  function responseOf(surveyId: number, responseId: number): SimulatedResponse {
    const found = surveyOf(surveyId).find(responseId);
    if (found === undefined) throw new Error(`survey ${surveyId} has no response ${responseId}`);
    return found;
  }

  /** Adds a survey; throws when its id is taken. */
  function addSurvey(spec: SurveySpec): void {
    if (surveys.has(spec.surveyId)) throw new Error(`there is already a survey ${spec.surveyId}`);
    const added = createSurvey(spec, { seed, firstId: nextId, settings, now });
    nextId = Math.max(nextId, added.nextId);
    // Built now, so that the first page read of a long survey costs no more than the next.
    added.list(settings);
    surveys.set(spec.surveyId, added);
  }

  function freeId(owner: Survey, wanted: number | undefined): number {
    if (wanted !== undefined) {
      if (!Number.isInteger(wanted) || wanted < 0 || wanted >= 2 ** 40)
        throw new RangeError(`${wanted} is no response id`);
      for (const each of surveys.values())
        if (each.find(wanted) !== undefined) throw new Error(`response id ${wanted} is taken`);
      nextId = Math.max(nextId, wanted + 1);
      return wanted;
    }
    nextId += 1 + (hash32(seed, owner.surveyId, nextId, 91) % 3);
    return nextId - 1;
  }

  function add(surveyId: number, count: number, completed: boolean, overrides: Overrides): number[] {
    const owner = surveyOf(surveyId);
    return Array.from({ length: count }, () => {
      const responseId = freeId(owner, overrides.responseId);
      const completedAt = completed ? (overrides.completedAt ?? now()) : null;
      const took = durationSeconds(owner.seed, responseId) * 1000;
      const startedAt = overrides.startedAt ?? (completedAt === null ? now() : completedAt - took);
      const records = recordCount(overrides.records ?? drawnRecords(owner.seed, responseId, settings), overrides);
      owner.put({ responseId, startedAt, completedAt, records, revision: 0, overrides });
      owner.impressions += 1;
      if (completedAt !== null) changed({ kind: "completed", surveyId, responseId, at: completedAt });
      return responseId;
    });
  }

  function withChanges(before: SimulatedResponse, changes: Overrides): SimulatedResponse {
    const overrides = { ...before.overrides, ...changes };
    const records = recordCount(changes.records ?? before.records - repeatOf(before).copies, overrides);
    const startedAt = changes.startedAt ?? before.startedAt;
    const completedAt = before.completedAt === null ? null : (changes.completedAt ?? before.completedAt);
    return { ...before, overrides, records, startedAt, completedAt };
  }

  return {
    /** The answer to a data request (all but the token). */
    answer: createOperations({ surveys, settings: () => settings, now, hooks }),
    settings: () => settings,
    /** Changes settings from the next request on. Throws a RangeError for impossible ones. */
    set(patch: SettingsPatch): void {
      settings = withSettings(settings, patch);
      if (patch.counts !== undefined) for (const survey of surveys.values()) survey.freeze();
    },
    /** Runs `hook` at each page read: what it changes is seen by the next read. */
    onPageRead: hookInto(hooks.pages),
    /** Runs `hook` whenever the survey list is given out. */
    onSurveyList: hookInto(hooks.lists),
    /** Runs `hook` whenever a response is completed or removed. */
    onChange: hookInto(changes),
    /** A page as it stands now: no request, counted and seen by nobody. */
    peek: (surveyId: number, page: number, order: "asc" | "desc") =>
      peekPage(surveyOf(surveyId), page, order, settings),
    /** The records of one response as they stand now, listed or not. */
    records(surveyId: number, responseId: number): readonly ListedRecord[] {
      const response = surveyOf(surveyId).find(responseId);
      return response === undefined ? [] : allRecords(surveyOf(surveyId), response, settings);
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
        survey.all().flatMap((response) => responseTruth(survey, response, settings) ?? []),
      ),
    /** One completed response, however large its survey. */
    truthOf: (surveyId: number, responseId: number) =>
      responseTruth(surveyOf(surveyId), surveyOf(surveyId).find(responseId), settings),
    addSurvey,
    removeSurvey(surveyId: number): void {
      surveyOf(surveyId);
      surveys.delete(surveyId);
    },
    /** Changes the questions of a survey, and with them its `modified`. */
    editSurvey(surveyId: number): void {
      const edited = surveyOf(surveyId);
      edited.edition += 1;
      edited.modifiedAt = now();
    },
    /** Somebody looks at a survey without answering: its impressions move, nothing else. */
    visit(surveyId: number, count = 1): void {
      surveyOf(surveyId).impressions += count;
    },
    /** New completed responses; returns their ids. */
    complete: (surveyId: number, count = 1, overrides: Overrides = {}) => add(surveyId, count, true, overrides),
    /** New open responses; returns their ids. */
    start: (surveyId: number, count = 1, overrides: Overrides = {}) => add(surveyId, count, false, overrides),
    /** An open response is completed. */
    finish(surveyId: number, responseId: number, overrides: Overrides = {}): void {
      const before = responseOf(surveyId, responseId);
      if (before.completedAt !== null) throw new Error(`response ${responseId} is completed already`);
      const completedAt = overrides.completedAt ?? now();
      surveyOf(surveyId).put({ ...withChanges(before, overrides), completedAt });
      changed({ kind: "completed", surveyId, responseId, at: completedAt });
    },
    /** Puts overrides on a response; without any, its answers change. */
    edit(surveyId: number, responseId: number, overrides?: Overrides): void {
      const before = responseOf(surveyId, responseId);
      const revision = overrides === undefined ? before.revision + 1 : before.revision;
      surveyOf(surveyId).put({ ...withChanges(before, overrides ?? {}), revision });
    },
    remove(surveyId: number, responseId: number): void {
      responseOf(surveyId, responseId);
      surveyOf(surveyId).drop(responseId);
      changed({ kind: "removed", surveyId, responseId, at: now() });
    },
  };
}

/** Gives the function that takes the hook away. */
function hookInto<T>(hooks: Set<T>): (hook: T) => () => void {
  return (hook) => {
    hooks.add(hook);
    return () => void hooks.delete(hook);
  };
}

/** A completed response as it truly is: what a test compares events with. Instants are epoch milliseconds. */
export type TruthResponse = NonNullable<ReturnType<typeof responseTruth>>;

/** The truth of one response; undefined while it is open, or when it does not exist. */
function responseTruth(survey: Survey, response: SimulatedResponse | undefined, settings: Settings) {
  if (response === undefined || response.completedAt === null) return undefined;
  const { responseId, startedAt, completedAt } = response;
  const { seed, surveyId, questions, edition } = survey;
  const bodyOf = (which: "metrics" | "metadata"): unknown => {
    // By its last read an enrichment that fails for a while has come through.
    const answer = enrichmentAnswer(which, survey, response, settings, Number.POSITIVE_INFINITY);
    return "body" in answer ? answer.body : null;
  };
  return {
    ...{ surveyId, responseId, startedAt, completedAt },
    /** The facts of its survey in the survey list. */
    survey: listedFacts(survey, settings),
    /** The numbers from which the questions of its survey are computed. */
    questions: { seed, surveyId, questions, edition },
    /** The records as they are listed, questions ascending. As JSON has it: a field that is undefined is not there. */
    records: allRecords(survey, response, settings).map(
      (record): ListedRecord => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
    ),
    /**
     * The bodies of operations 11 and 13 once they no longer fail; null where there are none. Nothing of another response is
     * in them.
     */
    metrics: bodyOf("metrics"),
    metadata: bodyOf("metadata"),
  };
}
