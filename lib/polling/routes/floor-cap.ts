import type { PollContext } from "../context.ts";
import { earliestString } from "../model/dates.ts";

/** Milliseconds by which clocks that are right may differ. */
const CLOCKS_DIFFER = 300_000;

/**
 * What a floor of "now" may not rise above when it is looked for after the source's first tick: it must lose nothing
 * that completed since.
 */
export function floorCap({ sourceFloor, firstTick, ports }: PollContext): string | undefined {
  if (firstTick === undefined) return undefined;
  const now = ports.clock.now();
  // By a clock that was ahead: all that completes until then would be history.
  if (firstTick > now + CLOCKS_DIFFER) return sourceFloor ?? earliestString(now);
  const earliest = earliestString(firstTick);
  return sourceFloor !== undefined && sourceFloor > earliest ? sourceFloor : earliest;
}
