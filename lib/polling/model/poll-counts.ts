export interface PollCounts {
  emitted: number;
  waiting: number;
  /** Events that were short and have been replaced; and those of them that were replaced before. */
  repaired: number;
  repairedAgain: number;
  /** Events that are to be replaced, and could not be yet. */
  unreplaced: number;
  /** Left to the next poll: something failed for them alone, or nothing proved their contents yet. */
  left: number;
  /** Whether the time was up before all were dealt with. */
  unfinished: boolean;
}

const NONE = { emitted: 0, waiting: 0, repaired: 0, repairedAgain: 0, unreplaced: 0, left: 0 };
const SUMS = Object.keys(NONE) as (keyof typeof NONE)[];

export function noCounts(): PollCounts {
  return { ...NONE, unfinished: false };
}

/** Adds `more` to `counts`, which is changed and given back. */
export function addCounts(counts: PollCounts, more: Partial<PollCounts>): PollCounts {
  for (const name of SUMS) counts[name] += more[name] ?? 0;
  counts.unfinished ||= more.unfinished ?? false;
  return counts;
}

/** Whether everything that was met is dealt with, so that a later reading may rely on it. */
export function isClean(counts: PollCounts): boolean {
  return counts.left === 0 && !counts.unfinished;
}
