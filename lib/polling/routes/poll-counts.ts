import { type EmitCounts, noEmits } from "../model/emit-counts.ts";

/** The outcome of one poll of a survey. */
export interface PollCounts extends EmitCounts {
  /** Unreadable responses and single records. */
  quarantined: number;
  /** Whether every page of the survey was read. */
  complete: boolean;
}

export function noCounts(): PollCounts {
  return { ...noEmits(), quarantined: 0, complete: false };
}

const SUMS = ["emitted", "waiting", "refused", "quarantined", "found", "repaired", "held", "left"] as const;

/** Adds `more` to `counts`, which is changed and given back. */
export function addCounts(counts: PollCounts, more: Partial<PollCounts>): PollCounts {
  for (const name of SUMS) counts[name] += more[name] ?? 0;
  counts.complete ||= more.complete ?? false;
  counts.unfinished ||= more.unfinished ?? false;
  return counts;
}

/** How many do not go out without help. */
export function withheldOf({ quarantined, refused, held }: PollCounts): number {
  return quarantined + refused + held;
}

/** Whether everything that was met is dealt with, so that a later walk may rely on it. */
export function isClean(counts: PollCounts): boolean {
  return counts.left === 0 && !counts.unfinished;
}
