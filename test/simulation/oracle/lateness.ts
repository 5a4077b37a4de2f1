import type { PollingSource } from "../../../lib/polling/index.ts";
import { pagesOf as plannedPages } from "../plan/plan.ts";
import { leastPage, listedOf, type SimResponse, type SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { isSilent, leewayOf } from "./excluded.ts";

// Bounds are milliseconds between the completion of a response and its delivery, in a history without faults. Each holds one interval for the
// tick that had just looked, and one for the tick that does the work.

/** What the shared background budget may add: requests that wait their turn. */
function turns(source: PollingSource, requests: number): number {
  return (Math.ceil(requests / source.backgroundRequests) + 1) * source.interval;
}

/** How much there is for the budget to go round. */
interface Extent {
  surveys: number;
  /** Pages of the survey. */
  pages: number;
  /** Pages of the longest list, and how often a pass may read each: a list that changes between two reads is read again. */
  longest: number;
  reads: number;
  /** Responses listed as open in all surveys. */
  open: number;
}

/** What the answers of one tick may take. */
const LATENCY = 30_000;

/** On the head page, and the counts moved. */
const countedAtHead = ({ interval }: PollingSource): number => 2 * interval + LATENCY;

/** At the head of a survey that is being caught up: one tick may find a slice at work. */
const aboveBacklog = ({ interval }: PollingSource): number => 3 * interval + LATENCY;

/** Ticks whose budget a full read may need before it keeps anything else waiting for long. */
const SOON = 2;
/** Requests by which the full read of any survey may have overdrawn the budget, or had less than its half of it: these are made up for before anything else has its turn. */
const owedToPass = ({ backgroundRequests }: PollingSource, { longest, reads }: Extent): number => {
  const requests = 2 * reads * (longest + 3);
  return requests > SOON * backgroundRequests ? requests : 0;
};

/** On the head page, but no count moved: found when the head is read anyway. One tick may find a slice at work. */
const onHeadPage = (source: PollingSource, extent: Extent): number =>
  source.rescan.every + turns(source, 2 * extent.surveys + owedToPass(source, extent)) + 3 * source.interval;

/**
 * Listed as open before: checked again after half its age; `age` is milliseconds since it was first read. Other slow work of all
 * surveys has its turns in between, and a check that came just before the completion was itself late by as much.
 */
const listedOpen = (source: PollingSource, { open, surveys }: Extent, age: number): number =>
  Math.max(source.interval, age / 2) + 3 * turns(source, open + 2 * surveys) + 2 * source.interval;

/** Unnoticed: found by the rescan that reads to the end of the list, of which the depth doubles each time. */
const rescanned = (source: PollingSource, { surveys, pages }: Extent): number =>
  (Math.ceil(Math.log2(pages + 1)) + 3) * source.rescan.every +
  turns(source, 4 * surveys * (pages + 3)) +
  2 * source.interval;

/** Neither: the full read. */
const unnoticed = (source: PollingSource, { surveys, pages }: Extent): number =>
  source.rescan.full + turns(source, 4 * surveys * (pages + 3)) + 2 * source.interval;

/** How often a walk reads a page of a list that changes between most reads: once more for each movement that it goes back for (R5). */
const MOST_READS = 7;

/** Whether nothing but the poller itself can have kept the response waiting. */
function isPlain(world: World, response: SimResponse): boolean {
  const { survey, completedAt = 0, odd } = response;
  const { flips, gone, hidden, broken } = survey.plan;
  const isFailing = [response.metrics, response.metadata].some(({ failsUntil }) => failsUntil > completedAt);
  return (
    world.plan.calm &&
    !world.overran &&
    flips.length === 0 &&
    [gone, hidden, broken].every((trouble) => trouble === undefined) &&
    !isFailing &&
    !world.plan.tight &&
    odd === undefined &&
    survey.traits.layout === "contiguous" &&
    !leewayOf(world, response).held &&
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

interface Bound {
  name: string;
  bound: number;
}

/**
 * Milliseconds that a response may be late, by how it could be noticed; undefined when no bound holds for it. `isTrusted` tells whether operation 9 can
 * have equalled a response of the survey, of several records where it has such: before that its contents are not used.
 */
export function boundOf(world: World, response: SimResponse, isTrusted: boolean): Bound | undefined {
  const limit = noticedWithin(world, response, isTrusted);
  return limit === undefined
    ? undefined
    : { ...limit, bound: limit.bound + slowOf(world.plan) + waitOf(world.plan, response) };
}

/** Milliseconds more where each answer takes seconds: a tick and the slice before it take their answers one after the other. */
function slowOf({ latency }: World["plan"]): number {
  return latency.service > 1_000 ? LATENCY : 0;
}

/** The same for what completes at the very head while a backlog is left to slices, from `since` (epoch milliseconds) on. */
export function aboveBacklogWithin(world: World, response: SimResponse, since: number | undefined): Bound | undefined {
  const { noticed, completedAt = 0 } = response;
  if (since === undefined || noticed?.isFirst !== true || !isPlain(world, response)) return undefined;
  // A tick at least has seen before where the backlog begins.
  if (completedAt < since + 2 * world.plan.source.interval + LATENCY) return undefined;
  const bound = aboveBacklog(world.plan.source) + slowOf(world.plan) + waitOf(world.plan, response);
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

function noticedWithin(world: World, response: SimResponse, isTrusted: boolean): Bound | undefined {
  const { noticed, survey, startedAt, completedAt = 0 } = response;
  if (noticed === undefined || !isPlain(world, response)) return undefined;
  const { source } = world.plan;
  const surveys = [...world.surveys.values()];
  const open = surveys.flatMap(({ responses }) => responses).filter((one) => isListedOpen(one, completedAt)).length;
  const extent: Extent = {
    surveys: surveys.length,
    pages: Math.ceil((survey.orphans + recordsIn(listedOf(survey))) / leastPage(survey.traits)),
    longest: Math.max(...world.plan.surveys.map(plannedPages)),
    reads: world.plan.restless > 0.5 ? MOST_READS : 1,
    open,
  };
  const deletions = survey.responses.some(({ removedAt }) => removedAt !== undefined);
  if (noticed.atHead && noticed.counted && !deletions) {
    return { name: "counted, on the head page", bound: countedAtHead(source) };
  }
  const atHead = onHeadPage(source, extent);
  if (noticed.atHead && !isPushedDown(response, atHead)) return { name: "on the head page", bound: atHead };
  const silence = toldAfter(response);
  // Its start tells its age, if nothing else does. It is asked about ever more seldom while operation 9 says nothing of it.
  const age = completedAt + silence - startedAt;
  if (noticed.listedOpenSince !== undefined && isTrusted && age < source.rescan.full / 2) {
    return { name: "listed as open", bound: silence + listedOpen(source, extent, age) };
  }
  const byFullRead = unnoticed(source, extent);
  // A page that is not full is the end of a scan, but of none of the full reads (R8).
  if (survey.traits.shortPages) return { name: "unnoticed", bound: byFullRead };
  return { name: "rescan", bound: Math.min(byFullRead, rescanned(source, extent)) };
}
