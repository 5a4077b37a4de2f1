import { mix } from "../engine/random.ts";
import { aheadBy } from "./records.ts";
import { localTime, type ServiceClock } from "./service-clock.ts";
import type { Json, SimResponse, SimSurvey, Traits } from "./survey-model.ts";
import { mayTie } from "./ties.ts";

/** Records of a page, and of the shortest of short ones. */
export const PAGE = 100;
const LEAST_PAGE = 40;

type PageTraits = Pick<Traits, "shortPages">;

/** Records that a page holds at least, if it is not the last one. */
export function leastPage({ shortPages }: PageTraits): number {
  return shortPages ? LEAST_PAGE : PAGE;
}

function sizeOf({ id, traits }: SimSurvey, page: number): number {
  const least = leastPage(traits);
  return least === LEAST_PAGE ? least + (mix(id, page) % 61) : least;
}

/** Where a response stands in asc order; ties go by id. */
export function sortKeyOf(response: SimResponse, clock: ServiceClock): number {
  const { id, survey, startedAt, endedAt, odd } = response;
  switch (survey.traits.sortKey) {
    case "responseId":
      return id;
    case "reversed":
      return -id;
    case "hash":
      return mix(id, 77);
    case "dateStart":
      return localTime(clock, startedAt);
    case "dateCompleted": {
      const open = survey.traits.openDate;
      if (endedAt === undefined) return open === "start" ? localTime(clock, startedAt) : -1;
      if (odd === "date-null" || odd === "date-empty" || odd === "date-zeros") return -1;
      return localTime(clock, endedAt) + aheadBy(odd);
    }
  }
}

export function insert(survey: SimSurvey, response: SimResponse, clock: ServiceClock): void {
  response.sortKey = sortKeyOf(response, clock);
  survey.listed.splice(placeOf(survey.listed, response), 0, response);
  response.listed = true;
  changed(survey);
}

export function remove(survey: SimSurvey, response: SimResponse): void {
  if (!response.listed) return;
  survey.listed.splice(placeOf(survey.listed, response), 1);
  response.listed = false;
  changed(survey);
}

/** The order of the list after its sort key is another one. */
export function sortAgain(survey: SimSurvey, clock: ServiceClock): void {
  for (const response of survey.listed) response.sortKey = sortKeyOf(response, clock);
  survey.listed.sort((a, b) => a.sortKey - b.sortKey || a.id - b.id);
  changed(survey);
}

/** Milliseconds by which the copy of a list is behind. */
const BEHIND = 20_000;

export function changed(survey: SimSurvey): void {
  survey.flat = undefined;
  survey.flatDesc = undefined;
  if (!survey.traits.replicas) return;
  const [from, asc, desc] = [survey.now(), listedRecords(survey, "asc"), listedRecords(survey, "desc")];
  const kept = survey.past.findLastIndex((one) => one.from <= from - BEHIND);
  survey.past = [...survey.past.slice(Math.max(0, kept)), { from, asc, desc }];
}

/** The records that the copy of the list whose turn it is has now. */
function recordsInTurn(survey: SimSurvey, order: "asc" | "desc"): readonly Json[] {
  if (!survey.traits.replicas) return listedRecords(survey, order);
  const isBehind = survey.isCopysTurn;
  survey.isCopysTurn = !isBehind;
  const past = survey.past.findLast(({ from }) => from <= survey.now() - BEHIND);
  return isBehind && past !== undefined ? past[order] : listedRecords(survey, order);
}

function placeOf(listed: SimResponse[], response: SimResponse): number {
  let low = 0;
  let high = listed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = listed[middle];
    if (other === undefined || other.sortKey > response.sortKey) high = middle;
    else if (other.sortKey === response.sortKey && other.id >= response.id) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function recordsNow(response: SimResponse): readonly Json[] {
  return response.versions.at(-1)?.records ?? [];
}

/** All records in the order in which pages list them. */
export function listedRecords(survey: SimSurvey, order: "asc" | "desc"): readonly Json[] {
  survey.flat ??= flatten(survey, survey.listed);
  if (order === "asc") return survey.flat;
  const { stableDesc, layout } = survey.traits;
  survey.flatDesc ??=
    stableDesc && layout === "contiguous" ? flatten(survey, survey.listed.toReversed()) : survey.flat.toReversed();
  return survey.flatDesc;
}

function flatten(survey: SimSurvey, responses: SimResponse[]): readonly Json[] {
  const { layout } = survey.traits;
  const records: Json[] = [];
  if (layout === "contiguous")
    for (const response of responses) for (const one of recordsNow(response)) records.push(one);
  else if (layout === "scattered") zip(responses, records);
  else for (const tied of neighbours(responses)) zip(tied, records);
  for (const orphan of survey.orphans) records.push(orphan);
  return records;
}

/** Up to three responses next to each other that tie on the sort key: the tie is broken by question. */
function neighbours(responses: SimResponse[]): SimResponse[][] {
  const groups: SimResponse[][] = [];
  let last: number | undefined;
  for (const response of responses) {
    if (last !== undefined && mayTie(last, response.id)) groups.at(-1)?.push(response);
    else groups.push([response]);
    last = response.id;
  }
  return groups;
}

function zip(responses: SimResponse[], into: Json[]): void {
  const most = Math.max(0, ...responses.map((response) => recordsNow(response).length));
  for (let i = 0; i < most; i += 1) {
    for (const response of responses) {
      const record = recordsNow(response)[i];
      if (record !== undefined) into.push(record);
    }
  }
}

/** A page as the list is cut. */
export interface CutPage {
  records: readonly Json[];
  /** The records before and behind it. */
  before: Json | undefined;
  behind: Json | undefined;
  /** Whether it is the last page, given again for one behind it. */
  isAgain: boolean;
}

/** One page; undefined past the end. */
export function pageOf(survey: SimSurvey, number: number, order: "asc" | "desc"): CutPage | undefined {
  const all = recordsInTurn(survey, order);
  let from = 0;
  for (let page = 1; ; page += 1) {
    const size = sizeOf(survey, page);
    const isLast = from + size >= all.length && survey.traits.pastEnd === "repeat" && all.length > 0;
    if (page === number || isLast) {
      const records = all.slice(from, from + size);
      if (records.length === 0) return undefined;
      return { records, before: all[from - 1], behind: all[from + size], isAgain: page !== number };
    }
    if (from >= all.length) return undefined;
    from += size;
  }
}
