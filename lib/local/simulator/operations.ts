import { hash32 } from "./hashing.ts";
import { allRecords, asRead, type ListedRecord, recordAt, type SimulatedResponse } from "./responses.ts";
import type { Operation, PathParameters, Route } from "./routes.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";
import {
  enrichmentAnswer,
  fullSurvey,
  metadataShown,
  questionList,
  reportIds,
  reportMetricsBody,
  reportsBody,
  singleResponseBody,
  surveyListItem,
} from "./survey-bodies.ts";

/** The status of an answer and, when it is 200, what its JSON says. */
export type Answer = { status: number; body?: unknown };

interface OperationContext {
  surveys: ReadonlyMap<number, Survey>;
  settings: () => Settings;
  now: () => number;
  hooks: Hooks;
}

export interface Hooks {
  /** Called when a page was read: what they change is seen by the next read. */
  pages: Set<(surveyId: number, page: number) => void>;
  /** Called at each survey list. */
  lists: Set<() => void>;
}

/** Answers every data request (all but the token), once its headers are found right. */
export function createOperations({ surveys, settings, now, hooks }: OperationContext): (route: Route) => Answer {
  /** Reads of metrics and metadata for which a response has overrides: these alone count them. */
  const reads = new Map<string, number>();
  let answers = 0;

  function page(survey: Survey, { page: text = "1", ...parameters }: PathParameters): Answer {
    const number = Number(text);
    const { order = settings().defaultOrder } = parameters;
    if (!/^\d{1,9}$/.test(text) || number < 1) return { status: 400 };
    if (order !== "asc" && order !== "desc") return { status: 400 };
    const given = pageAnswer(survey, number, order, settings());
    for (const hook of hooks.pages) hook(survey.surveyId, number);
    return Array.isArray(given) ? ok(shown(given)) : given;
  }

  function single(survey: Survey, response: SimulatedResponse | undefined): Answer {
    if (response === undefined) return notFound;
    return ok(singleResponseBody(shown(allRecords(survey, response, settings())), settings().singleResponseBody));
  }

  /** Records as this answer shows them. */
  function shown(records: ListedRecord[]): ListedRecord[] {
    answers += 1;
    return asRead(records, settings(), answers);
  }

  function enrichment(survey: Survey, responseId: number, which: "metrics" | "metadata"): Answer {
    const response = survey.find(responseId);
    if (response === undefined || (which === "metrics" && response.completedAt === null)) return notFound;
    const key = `${survey.surveyId}/${responseId}/${which}`;
    if (response.overrides[which] !== undefined) reads.set(key, (reads.get(key) ?? 0) + 1);
    const answerOf = which === "metrics" ? enrichmentAnswer : metadataShown;
    const given = answerOf(which, survey, response, settings(), reads.get(key) ?? 1);
    return "body" in given ? ok(given.body) : given;
  }

  return ({ operation, parameters }) => {
    const survey = surveys.get(Number(parameters.survey));
    // What the second version has it has as the third.
    const name = operation.replace(/^v2-/, "") as Exclude<Operation, `v2-${string}`>;
    if (name === "surveys") {
      for (const hook of hooks.lists) hook();
      return ok(Array.from(surveys.values(), (each) => surveyListItem(each, settings(), now())));
    }
    if (survey === undefined) return notFound;
    switch (name) {
      case "survey":
        return ok([fullSurvey(survey, settings())]);
      case "questions":
        return ok(questionList(survey, settings()));
      case "reports":
        return ok(reportsBody(survey, settings()));
      case "report-metrics":
        return reportIds(survey).includes(Number(parameters.report))
          ? ok(reportMetricsBody(survey, settings()))
          : notFound;
      case "responses":
      case "responses-page":
      case "responses-order":
        return page(survey, parameters);
      case "response":
        return single(survey, survey.find(Number(parameters.response)));
      case "response-by-crk":
        return single(survey, survey.findByCrk(decoded(parameters.crk)));
      case "metrics":
      case "metadata":
        return enrichment(survey, Number(parameters.response), name);
      case "token":
        throw new Error("the token request is no data request");
    }
  };
}

const notFound: Answer = { status: 404 };
const ok = (body: unknown): Answer => ({ status: 200, body });

function decoded(crk: string | undefined): string {
  try {
    return decodeURIComponent(crk ?? "");
  } catch {
    return "";
  }
}

/** Most records of a page: the one limit that the document states. */
const recordsPerPage = 100;

/** The records of a page, or the status that stands for a page behind the last one or for an empty list. */
function pageAnswer(
  survey: Survey,
  page: number,
  order: "asc" | "desc",
  settings: Settings,
): ListedRecord[] | { status: number } {
  const { pastEnd, emptyList } = settings;
  const total = survey.list(settings).total();
  const { from, last } = placeOf(survey, page, settings);
  const isPastEnd = from >= total && page > 1;
  if (isPastEnd && isStatus(pastEnd)) return { status: Number(pastEnd) };
  const given = isPastEnd && pastEnd !== "empty" ? (pastEnd === "repeatLast" ? last : 1) : page;
  if (given === 1 && total === 0 && isStatus(emptyList)) return { status: Number(emptyList) };
  return peekPage(survey, given, order, settings).records;
}

const isStatus = (setting: string): boolean => Number.isInteger(Number(setting));

/** Records that a page holds if it is not the last one. */
function sizeOf({ seed }: Survey, page: number, { pageSize }: Settings): number {
  return pageSize === "full" ? recordsPerPage : 40 + (hash32(seed, page, 93) % 61);
}

/** The number of records before a page, and the last page that has any. */
function placeOf(survey: Survey, page: number, settings: Settings): { from: number; last: number } {
  const total = survey.list(settings).total();
  if (settings.pageSize === "full")
    return { from: (page - 1) * recordsPerPage, last: Math.max(1, Math.ceil(total / recordsPerPage)) };
  let from = 0;
  let end = 0;
  let last = 1;
  for (let number = 1; number < page || end < total; number += 1) {
    end += sizeOf(survey, number, settings);
    if (number < page) from = end;
    if (end < total) last = number + 1;
  }
  return { from, last };
}

/** A page as it stands now, and the records before and behind it. No request, and seen by nobody. */
export function peekPage(survey: Survey, page: number, order: "asc" | "desc", settings: Settings) {
  const { from } = placeOf(survey, page, settings);
  const count = sizeOf(survey, page, settings);
  const first = Math.max(0, from - 1);
  const places = survey.list(settings).read(first, from - first + count + 1, order);
  const read = places.map(({ response, slot }) => recordAt(survey, response, slot, settings));
  const before = from === first ? undefined : read.shift();
  return { records: read.slice(0, count), before, behind: read[count] };
}
