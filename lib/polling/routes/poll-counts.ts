import { type EmitCounts, noEmits } from "../model/emit-counts.ts";

/** What one poll of a survey came to. */
export interface PollCounts extends EmitCounts {
  /** Whether every page of the survey was read. */
  complete: boolean;
}

export function noCounts(): PollCounts {
  return { ...noEmits(), complete: false };
}

/** Adds `more` to `counts`, which is changed and given back. */
export function addCounts(counts: PollCounts, more: Partial<PollCounts>): PollCounts {
  counts.emitted += more.emitted ?? 0;
  counts.waiting += more.waiting ?? 0;
  counts.quarantined += more.quarantined ?? 0;
  counts.found += more.found ?? 0;
  counts.repaired += more.repaired ?? 0;
  counts.held += more.held ?? 0;
  counts.left += more.left ?? 0;
  counts.complete ||= more.complete ?? false;
  counts.unfinished ||= more.unfinished ?? false;
  return counts;
}

/** Whether everything that was met is dealt with, so that a later walk may rely on it. */
export function isClean(counts: PollCounts): boolean {
  return counts.left === 0 && !counts.unfinished;
}
