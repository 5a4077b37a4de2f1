import { credible, latestInstant } from "../../events/build/date-string.ts";
import type { PollContext } from "../context.ts";
import type { Run } from "../model/records.ts";

/**
 * When an open response is looked at again: after half its age, and never more often than ticks come. Full passes alone look at one that is older than the time
 * between two of them.
 */
export function nextRecheck(ctx: Pick<PollContext, "source">, firstSeen: number, now: number): number | undefined {
  const age = now - firstSeen;
  if (age > ctx.source.patrol.full) return undefined;
  return now + Math.max(ctx.source.interval, age / 2);
}

/**
 * When an open response was seen first, in epoch milliseconds. One that a first pass meets counts from its own start, where that is earlier in any zone. No other
 * date has a say: one that is ahead would make all of them old.
 */
export function firstSeenBy({ ports }: Pick<PollContext, "ports">, run: Run | undefined, known: number): number {
  const started = run?.records[0]?.startedAt ?? null;
  return credible(started, ports.clock.now()) ? Math.min(known, latestInstant(started)) : known;
}
