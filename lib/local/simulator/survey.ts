import { localTime } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import { crkOf, firstResponses, idAfter, questionIndex, type SimulatedResponse } from "./responses.ts";
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

/** One record of a list: its response, and its slot in it. */
interface Item {
  response: SimulatedResponse;
  slot: number;
  /** The question by which a scattered list is ordered first. */
  question: number;
  key: number;
}

type ResponseList = ReturnType<typeof createResponseList>;

const compare = (a: Item, b: Item): number =>
  a.question - b.question || a.key - b.key || a.response.responseId - b.response.responseId || a.slot - b.slot;

/**
 * The listed records of one survey, in order.
 *
 * @param survey its seed, and the number of its questions
 */
function createResponseList(
  responses: Iterable<SimulatedResponse>,
  { seed, questions }: { seed: number; questions: number },
  settings: Settings,
) {
  const { layout, openListed, descQuestions } = settings;
  const step = layout === "interleaved" ? interleaveStep[settings.sortKey] : 0;

  function itemsOf(response: SimulatedResponse): Item[] {
    if (response.completedAt === null && !openListed) return [];
    const key = sortKey(seed, response, settings);
    return Array.from({ length: response.records }, (_, slot) => ({
      response,
      slot,
      question: layout === "scattered" ? questionIndex(seed, response, slot, questions) : 0,
      key: key + slot * step,
    }));
  }

  const items = Array.from(responses, itemsOf).flat().sort(compare);

  /** The index at which an item stands, or would. */
  function placeOf(item: Item): number {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(items[middle] as Item, item) >= 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    /** Records listed. */
    total: () => items.length,
    /** The records from number `from`, counted from the end for desc. */
    read(from: number, count: number, order: "asc" | "desc"): Pick<Item, "response" | "slot">[] {
      if (order === "asc") return items.slice(from, from + count);
      const end = Math.max(0, items.length - from);
      const read = items.slice(Math.max(0, end - count), end).reverse();
      const isTurned = layout === "contiguous" && descQuestions === "ascending";
      return isTurned ? read.map(({ response, slot }) => ({ response, slot: response.records - 1 - slot })) : read;
    },
    add(response: SimulatedResponse): void {
      for (const item of itemsOf(response)) items.splice(placeOf(item), 0, item);
    },
    /** Takes out a response as it was added, before it changes. */
    remove(response: SimulatedResponse): void {
      for (const item of itemsOf(response)) items.splice(placeOf(item), 1);
    },
  };
}

// Far enough to mix a response with a few neighbours, near enough to keep it within some pages.
const interleaveStep: Record<Settings["sortKey"], number> = {
  responseId: 4,
  reversed: 4,
  dateStart: 45,
  dateCompleted: 45,
  hash: 2 ** 22,
};

/** An integer that sorts as the service sorts; dates as the strings shown, a missing one before all others. */
function sortKey(seed: number, response: SimulatedResponse, settings: Settings): number {
  const seconds = (instant: number) => Math.floor(localTime(instant, settings.zone) / 1000);
  switch (settings.sortKey) {
    case "responseId":
      return response.responseId;
    case "reversed":
      return -response.responseId;
    case "hash":
      return hash32(seed, response.responseId, 20) >>> 2;
    case "dateStart":
      return seconds(response.startedAt);
    case "dateCompleted":
      if (response.completedAt !== null) return seconds(response.completedAt);
      return settings.openDateCompleted === "dateStart" ? seconds(response.startedAt) : -1;
  }
}
