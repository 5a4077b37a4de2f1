import { hash32 } from "./hashing.ts";
import { createResponseList, type ResponseList } from "./response-list.ts";
import { crkOf, firstResponses, idAfter, type SimulatedResponse } from "./responses.ts";
import { recordRange, type Settings } from "./settings.ts";

export interface SurveySpec {
  surveyId: number;
  /** Completed responses it begins with; default 0. */
  responses?: number;
  /** Open responses it begins with; default 0. */
  open?: number;
  name?: string;
  /** Epoch milliseconds; default: a day before `completedFrom`. */
  createdAt?: number;
  /** Between which instants (epoch milliseconds) the first responses completed; default: the 30 days up to an hour ago. */
  completedFrom?: number;
  completedTo?: number;
}

/** How many responses a survey has; `everCompleted` never falls. */
export interface SurveyTally {
  completed: number;
  open: number;
  everCompleted: number;
}

// Enough for counts that lag minutes behind thousands of arrivals; a long run must not keep them all.
const longestHistory = 10_000;

export type Survey = ReturnType<typeof createSurvey>;

/**
 * One survey with its responses, its list and its counts.
 *
 * @param context.firstId the first response id that the survey may use
 */
export function createSurvey(
  spec: SurveySpec,
  context: { seed: number; firstId: number; settings: Settings; now: () => number },
) {
  const { settings, now } = context;
  const { surveyId, responses = 0, open = 0 } = spec;
  const seed = hash32(context.seed, surveyId);
  const completedTo = spec.completedTo ?? now() - 3_600_000;
  const completedFrom = spec.completedFrom ?? completedTo - 30 * 86_400_000;
  const createdAt = spec.createdAt ?? completedFrom - 86_400_000;
  const questions = Math.max(5, recordRange(settings)[1]);
  const first = { seed, firstId: context.firstId, responses, open, completedFrom, completedTo, settings };
  const byId = new Map(firstResponses(first).map((response) => [response.responseId, response]));
  const tally: SurveyTally = { completed: responses, open, everCompleted: responses };
  const history = [{ at: now(), completed: responses }];
  let list: { settings: Settings; responses: ResponseList } | undefined;

  function count(response: SimulatedResponse, change: 1 | -1): void {
    if (response.completedAt === null) tally.open += change;
    else tally.completed += change;
  }

  function drop(responseId: number): SimulatedResponse | undefined {
    const response = byId.get(responseId);
    if (response === undefined) return undefined;
    list?.responses.remove(response);
    count(response, -1);
    byId.delete(responseId);
    return response;
  }

  function remember(): void {
    history.push({ at: now(), completed: tally.completed });
    if (history.length > 2 * longestHistory) history.splice(0, longestHistory);
  }

  return {
    seed,
    surveyId,
    questions,
    edition: 0,
    name: spec.name ?? `Survey ${surveyId}`,
    createdAt,
    modifiedAt: createdAt,
    impressions: 3 * (responses + open),
    tally,
    /** Earlier tallies, oldest first: what lagging counts still show. */
    history,
    /** What a frozen count shows. */
    frozen: responses,
    freeze(): void {
      this.frozen = tally.completed;
    },
    /** The first response id that is free after those the survey began with. */
    nextId: idAfter(first),
    find: (responseId: number) => byId.get(responseId),
    findByCrk: (crk: string) => [...byId.values()].find((response) => crkOf(seed, response) === crk),
    /** Every response, ids ascending. */
    all: () => [...byId.values()].sort((a, b) => a.responseId - b.responseId),
    /** Adds a response, or puts it in the place of the one with its id. */
    put(response: SimulatedResponse): void {
      const before = drop(response.responseId);
      byId.set(response.responseId, response);
      count(response, 1);
      if (response.completedAt !== null && (before === undefined || before.completedAt === null))
        tally.everCompleted += 1;
      list?.responses.add(response);
      remember();
    },
    drop(responseId: number): void {
      drop(responseId);
      remember();
    },
    list(current: Settings): ResponseList {
      if (list?.settings !== current) {
        const responses = createResponseList(byId.values(), { seed, questions }, current);
        list = { settings: current, responses };
      }
      return list.responses;
    },
  };
}

/** A count of the survey list item. */
export function countOf(survey: Survey, field: keyof Settings["counts"], settings: Settings, now: number): number {
  const { tally, history, surveyId } = survey;
  const rule = settings.counts[field];
  if (typeof rule === "function") return rule({ surveyId, ...tally });
  switch (rule) {
    case "completed":
      return tally.completed;
    case "started":
      return tally.completed + tally.open;
    case "lagging":
      return (history.findLast(({ at }) => at <= now - settings.countLagMs) ?? history[0])?.completed ?? 0;
    case "frozen":
      return survey.frozen;
    case "zero":
      return 0;
  }
}
