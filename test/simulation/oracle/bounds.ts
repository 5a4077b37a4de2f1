import type { SimSource } from "../plan/source.ts";

// The bounds of ALGORITHM §6, as functions of the configuration. All are milliseconds between the completion of a
// response and its delivery, in a history without faults. Each holds one interval for the tick that had just looked,
// and one for the tick that does the work.

/** What the shared background budget may add: requests that wait their turn. */
function turns(source: SimSource, requests: number): number {
  return (Math.ceil(requests / source.backgroundRequests) + 1) * source.interval;
}

/** How much there is for the budget to go round. */
export interface Extent {
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
export const LATENCY = 30_000;

/** On the head page, and the counts moved. */
export const countedAtHead = ({ interval }: SimSource): number => 2 * interval + LATENCY;

/** At the head of a survey that is being caught up: one tick may find a slice at work. */
export const above = ({ interval }: SimSource): number => 3 * interval + LATENCY;

/** Ticks whose budget a full read may need before it keeps anything else waiting for long. */
const SOON = 2;
/** Requests by which the full read of any survey may have overdrawn the budget, or had less than its half of it: these are made up for before anything else has its turn. */
const owedToPass = ({ backgroundRequests }: SimSource, { longest, reads }: Extent): number => {
  const requests = 2 * reads * (longest + 3);
  return requests > SOON * backgroundRequests ? requests : 0;
};

/** On the head page, but no count moved: found when the head is read anyway. One tick may find a slice at work. */
export const atHead = (source: SimSource, extent: Extent): number =>
  source.rescan.every + turns(source, 2 * extent.surveys + owedToPass(source, extent)) + 3 * source.interval;

/**
 * Listed as open before: checked again after half its age; `age` is milliseconds since it was first read. Other slow work of all
 * surveys has its turns in between, and a check that came just before the completion was itself late by as much.
 */
export const listedOpen = (source: SimSource, { open, surveys }: Extent, age: number): number =>
  Math.max(source.interval, age / 2) + 3 * turns(source, open + 2 * surveys) + 2 * source.interval;

/** Unnoticed: found by the rescan that reads to the end of the list, of which the depth doubles each time. */
export const rescanned = (source: SimSource, { surveys, pages }: Extent): number =>
  (Math.ceil(Math.log2(pages + 1)) + 3) * source.rescan.every +
  turns(source, 4 * surveys * (pages + 3)) +
  2 * source.interval;

/** Neither: the full read. */
export const unnoticed = (source: SimSource, { surveys, pages }: Extent): number =>
  source.rescan.full + turns(source, 4 * surveys * (pages + 3)) + 2 * source.interval;
