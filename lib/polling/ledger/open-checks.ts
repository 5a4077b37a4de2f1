import { credible, latestInstant } from "../../events/build/date-string.ts";
import type { PollContext } from "../context.ts";
import type { Run } from "../model/records.ts";

/**
 * When an open response is looked at again: after half its age, and never more often than ticks come; once it is older
 * than the time between two full passes, these alone look at it.
 */
export function nextRecheck(ctx: Pick<PollContext, "source">, firstSeen: number, now: number): number | undefined {
  const age = now - firstSeen;
  if (age > ctx.source.patrol.full) return undefined;
  return now + Math.max(ctx.source.interval, age / 2);
}

/**
 * When an open response was seen first, in epoch milliseconds: earlier than it is known to have been if it began earlier in
 * any zone, as one that a first pass meets. No other date has a say: one that is ahead would make all of them old.
 */
export function firstSeenBy({ ports }: Pick<PollContext, "ports">, run: Run | undefined, known: number): number {
  const started = run?.records[0]?.startedAt ?? null;
  return credible(started, ports.clock.now()) ? Math.min(known, latestInstant(started)) : known;
}
