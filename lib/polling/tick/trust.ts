import type { Trust } from "../model/account.ts";

export const fullTrust: Trust = { misses: 0, hits: 0, unseen: 0 };

const LOST_AFTER = 3;
const REGAINED_AFTER = 20;

/** Whether a survey's counts can be relied upon to show each completion. */
export function trusts({ misses }: Trust): boolean {
  return misses < LOST_AFTER;
}

export interface ShownByCounts {
  /** By how many responses the counts have grown, and how many new ones were found. */
  grown: number;
  found: number;
  /** Shown by earlier lists and not found until now. */
  missing?: number | undefined;
  /** Whether a list was read since the poll before. Default true. */
  isNewList?: boolean;
}

/**
 * The trust in a survey's counts after a poll. A response that they had not shown is a miss only if the next list still does not show it: counts may lag behind
 * pages.
 */
export function nextTrust(trust: Trust, { grown, found, missing = 0, isNewList = true }: ShownByCounts): Trust {
  if (!isNewList) return { ...trust, unseen: trust.unseen + Math.max(0, found - missing) };
  const caughtUp = trust.unseen > 0 && grown >= trust.unseen;
  const misses = trust.unseen > 0 && !caughtUp ? trust.misses + 1 : trust.misses;
  const surplus = Math.max(0, grown - (caughtUp ? trust.unseen : 0));
  const hits = surplus > 0 && found > 0 ? trust.hits + 1 : trust.hits;
  const unseen = Math.max(0, found - surplus - missing);
  if (misses > trust.misses) return { misses, hits: 0, unseen };
  return hits >= REGAINED_AFTER ? { misses: 0, hits: 0, unseen } : { misses, hits, unseen };
}
