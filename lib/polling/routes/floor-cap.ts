import type { PollContext } from "../context.ts";
import { earliestString, later } from "../model/dates.ts";

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

/** During a first pass over a list that is not ordered by completion, "now" is the largest date met so far. Whether it rose. */
export function raiseFloor(ctx: PollContext, newest: string | undefined): boolean {
  const { floor } = ctx.mark;
  // A pass that goes on after the source's first tick meets what completed since, which is not before any floor.
  if (!ctx.mark.floorRises || floor === undefined || newest === undefined) return false;
  // Begun in the source's first tick, it has its own date of that tick already, which others need not have seen.
  const first = floorCap(ctx);
  const cap = ctx.mark.floorCap ?? (first === undefined ? undefined : later(first, floor.at ?? undefined));
  const before = floor.at;
  floor.at = later(before ?? "", cap !== undefined && cap < newest ? cap : newest) ?? newest;
  return floor.at !== before;
}
