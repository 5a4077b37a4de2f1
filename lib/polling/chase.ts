import type { Chase, SurveyRow } from "./state-types.ts";

/** What a poll came to, as far as the chase goes. */
export interface ChasePoll {
  now: number;
  /** New responses met. */
  found: number;
  /** Whether every page was read, and whether the time was up before. */
  complete: boolean;
  unfinished: boolean;
  /** Whether the poll was part of a pass over several: what it found tells nothing of what arrived meanwhile. */
  resumed: boolean;
  /** Milliseconds in which the background budget allows one request. */
  requestEvery: number;
}

const OWED_TICKS = 5;
/** What a scan to the end has not found is not there to be found: starts and unpaid responses may move counts too. */
const REST_AFTER_END = 3_600_000;

/** Deeper than a tick can read it is left to slower means. */
const MOST_PAGES = 512;

export const noChase: Chase = { missing: 0, owed: 0, depth: 0, deeperFrom: 0 };

/** First the head is read for some more ticks; then the scan goes deeper, doubling, no faster than the background budget. */
export function nextChase(counts: SurveyRow["counts"], row: SurveyRow | undefined, poll: ChasePoll): Chase {
  // Behind a pass that took several polls something may have arrived where it had been: looked for once, at leisure.
  if (row === undefined) return poll.resumed ? { ...noChase, missing: 1, owed: 1 } : noChase;
  const { chase } = row;
  const found = poll.resumed ? 0 : poll.found;
  const grown = Math.max(0, ...counts.map((count, i) => (count ?? 0) - (row.counts[i] ?? count ?? 0)));
  const missing = Math.max(0, chase.missing + grown - found);
  if (missing === 0) return { ...noChase, deeperFrom: chase.deeperFrom };
  if (grown > found) return { ...chase, missing, owed: OWED_TICKS };
  if (chase.owed > 1) return { ...chase, missing, owed: chase.owed - 1 };
  if (chase.owed === 1) return { ...chase, missing, owed: 0, depth: Math.max(2, chase.depth) };
  if (chase.depth > 0 && poll.now < chase.deeperFrom) return { ...chase, missing };
  if (poll.complete || poll.unfinished || chase.depth >= MOST_PAGES)
    return { ...noChase, deeperFrom: poll.now + REST_AFTER_END };
  return { missing, owed: 0, depth: chase.depth * 2, deeperFrom: poll.now + chase.depth * poll.requestEvery };
}

/** Pages that a poll at `now` reads even though they hold nothing new. */
export function chaseDepth(row: SurveyRow | undefined, now: number): number {
  return row === undefined || row.chase.owed > 0 || now < row.chase.deeperFrom ? 0 : row.chase.depth;
}

/** Epoch milliseconds at which the chase asks for a poll; undefined when it does not. */
export function chaseDueAt(chase: Chase): number | undefined {
  if (chase.owed > 0) return 0;
  return chase.depth > 0 ? chase.deeperFrom : undefined;
}
