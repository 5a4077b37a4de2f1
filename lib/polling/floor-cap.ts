import type { PollContext } from "./context.ts";
import { earliestString } from "./dates.ts";

/**
 * What a floor of "now" may not rise above when it is looked for after the source's first tick: it must lose nothing
 * that completed since.
 */
export function floorCap({ sourceFloor, firstTick }: PollContext): string | undefined {
  if (firstTick === undefined) return undefined;
  const earliest = earliestString(firstTick);
  return sourceFloor !== undefined && sourceFloor > earliest ? sourceFloor : earliest;
}
