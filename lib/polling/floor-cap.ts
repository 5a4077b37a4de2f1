import type { PollContext } from "./context.ts";
import { utcString } from "./dates.ts";

/** The westernmost zone is 12 h behind UTC: nothing completed after an instant carries an earlier string than this. */
const FURTHEST_BEHIND = 12 * 3_600_000;

/**
 * What a floor of "now" may not rise above when it is looked for after the source's first tick: it must lose nothing
 * that completed since.
 */
export function floorCap({ sourceFloor, firstTick }: PollContext): string | undefined {
  if (firstTick === undefined) return undefined;
  const earliest = utcString(firstTick - FURTHEST_BEHIND);
  return sourceFloor !== undefined && sourceFloor > earliest ? sourceFloor : earliest;
}
