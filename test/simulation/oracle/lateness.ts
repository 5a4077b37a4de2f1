import { pagesOf as plannedPages } from "../plan/plan.ts";
import { leastPage, listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import * as bounds from "./bounds.ts";
import { isSilent } from "./excluded.ts";

/** How often a walk reads a page of a list that changes between most reads: once more for each movement that it goes back for (R5). */
const MOST_READS = 7;

/** Whether nothing but the poller itself can have kept the response waiting. */
function isPlain(world: World, response: SimResponse): boolean {
  const { survey, completedAt = 0, odd } = response;
  const flips = world.plan.surveys.some(
    (plan) => plan.id === survey.id && plan.flips.length + (plan.gone || plan.hidden || plan.broken ? 1 : 0) > 0,
  );
  const isFailing = [response.metrics, response.metadata].some(({ failsUntil }) => failsUntil > completedAt);
  return (
    world.plan.calm &&
    !world.overran &&
    !flips &&
    !isFailing &&
    !world.plan.tight &&
    odd === undefined &&
    survey.traits.layout === "contiguous" &&
    !survey.traits.replicas &&
    !(survey.traits.twins && survey.traits.volatile === "comment") &&
    survey.traits.pastEnd !== "fault" &&
    isSingleUsable(survey)
  );
}

export function isSingleUsable(survey: SimSurvey): boolean {
  return survey.traits.single === "right" && !isSilent(survey);
}

/** Whether it may have been listed as open when another one completed. */
function isListedOpen({ listedFrom = Infinity, completedAt = Infinity }: SimResponse, at: number): boolean {
  return listedFrom <= at && completedAt > at;
}

/** Milliseconds that a response waits for what may only be late, until that is taken to be absent. */
function waitOf({ source }: World["plan"], { metrics, metadata, survey, completedAt = 0 }: SimResponse): number {
  const forQuestions = survey.words.fails === undefined ? 0 : source.enrichmentPatience + 2 * source.interval;
  const isLate = [metrics, metadata].some(({ presentFrom }) => presentFrom > completedAt);
  return forQuestions + (isLate ? source.absentAfter + 2 * source.interval : 0);
}

/** Milliseconds from its completion until operation 9 tells of a response: before that no re-check can. */
function toldAfter({ single, completedAt = 0 }: SimResponse): number {
  return Math.max(0, single.presentFrom - completedAt, single.failsUntil - completedAt);
}

/** What the poller may know of a survey when a response completes. */
export interface Known {
  /** Whether operation 9 can have equalled a response of the survey, of several records where it has such: before that its contents are not used. */
  isTrusted: boolean;
}

/** Milliseconds that a response may be late, by how it could be noticed; undefined when no bound holds for it. */
export function boundOf(
  world: World,
  response: SimResponse,
  known: Known,
): { name: string; bound: number } | undefined {
  const limit = noticedWithin(world, response, known);
  return limit === undefined
    ? undefined
    : { ...limit, bound: limit.bound + slowOf(world.plan) + waitOf(world.plan, response) };
}

/** Milliseconds more where each answer takes seconds: a tick and the slice before it take their answers one after the other. */
function slowOf({ latency }: World["plan"]): number {
  return latency.service > 1_000 ? bounds.LATENCY : 0;
}

/** The same for what completes at the very head while a backlog is left to slices, from `since` (epoch milliseconds) on. */
export function aboveBacklogWithin(
  world: World,
  response: SimResponse,
  since: number | undefined,
): { name: string; bound: number } | undefined {
  const { noticed, completedAt = 0 } = response;
  if (since === undefined || noticed?.isFirst !== true || !isPlain(world, response)) return undefined;
  // A tick at least has seen before where the backlog begins.
  if (completedAt < since + 2 * world.plan.source.interval + bounds.LATENCY) return undefined;
  const bound = bounds.above(world.plan.source) + slowOf(world.plan) + waitOf(world.plan, response);
  return isLookFilled(world, response, bound) ? undefined : { name: "at the head of a backlog", bound };
}

/** Whether what comes above a response fills a look at the head: the next one goes on below, but more may have come by then than it passes. */
function isLookFilled({ plan }: World, response: SimResponse, within: number): boolean {
  return recordsAbove(response, within) >= plan.source.headPages * leastPage(response.survey.traits);
}

/** Whether a page so small that a response or two fill it is pushed down as a whole before the head is read, which then ends above it. */
function isPushedDown(response: SimResponse, within: number): boolean {
  const { traits } = response.survey;
  return traits.shortPages && recordsAbove(response, within) >= leastPage(traits);
}

/** Records of responses completed after another one, within milliseconds. */
function recordsAbove({ survey, completedAt = 0 }: SimResponse, within: number): number {
  const above = survey.responses.filter((other) => {
    const since = (other.completedAt ?? Infinity) - completedAt;
    return since > 0 && since <= within;
  });
  return recordsIn(above);
}

const recordsIn = (responses: SimResponse[]): number => responses.reduce((sum, { answers }) => sum + answers, 0);

function noticedWithin(
  world: World,
  response: SimResponse,
  { isTrusted }: Known,
): { name: string; bound: number } | undefined {
  const { noticed, survey, startedAt, completedAt = 0 } = response;
  if (noticed === undefined || !isPlain(world, response)) return undefined;
  const { source } = world.plan;
  const surveys = [...world.surveys.values()];
  const open = surveys.flatMap(({ responses }) => responses).filter((one) => isListedOpen(one, completedAt)).length;
  const extent: bounds.Extent = {
    surveys: surveys.length,
    pages: Math.ceil((survey.orphans + recordsIn(listedOf(survey))) / leastPage(survey.traits)),
    longest: Math.max(...world.plan.surveys.map(plannedPages)),
    reads: world.plan.restless > 0.5 ? MOST_READS : 1,
    open,
  };
  const deletions = survey.responses.some(({ removedAt }) => removedAt !== undefined);
  if (noticed.atHead && noticed.counted && !deletions) {
    return { name: "counted, on the head page", bound: bounds.countedAtHead(source) };
  }
  const atHead = bounds.atHead(source, extent);
  if (noticed.atHead && !isPushedDown(response, atHead)) return { name: "on the head page", bound: atHead };
  const silence = toldAfter(response);
  // Its start tells its age, if nothing else does. It is asked about ever more seldom while operation 9 says nothing of it.
  const age = completedAt + silence - startedAt;
  if (noticed.listedOpenSince !== undefined && isTrusted && age < source.rescan.full / 2) {
    return { name: "listed as open", bound: silence + bounds.listedOpen(source, extent, age) };
  }
  const unnoticed = bounds.unnoticed(source, extent);
  // A page that is not full is the end of a scan, but of none of the full reads (R8).
  if (survey.traits.shortPages) return { name: "unnoticed", bound: unnoticed };
  return { name: "rescan", bound: Math.min(unnoticed, bounds.rescanned(source, extent)) };
}
