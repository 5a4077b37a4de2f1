import type { PollingSource } from "./context.ts";
import type { Ports } from "./ports.ts";
import type { AccountState } from "./state-types.ts";
import type { TickSummary } from "./tick-summary.ts";

/** Milliseconds: what is waited for within a tick. A longer pause ends it instead of keeping a paid function asleep. */
export const LONGEST_WAIT = 20_000;

/**
 * The summary of a tick that ends before it asks the service for anything, since another worker was told of a pause that outlasts it;
 * undefined when the tick goes on: the client waits for the end of a short one.
 */
export function pausedTick(
  { ports, source, deadline }: { ports: Ports; source: PollingSource; deadline: number },
  { pausedUntil }: AccountState,
): TickSummary | undefined {
  const left = (pausedUntil ?? 0) - ports.clock.now();
  if (pausedUntil === undefined || left <= 0) return undefined;
  // Ticks without a time between them have no next one to leave it to.
  const isNextSooner = source.interval > 0 && left >= source.interval;
  if (!isNextSooner && left <= LONGEST_WAIT && pausedUntil <= deadline) return undefined;
  ports.observe({ kind: "paused", until: pausedUntil });
  return { source: source.name, listed: 0, surveys: [], unpolled: 0, outages: [], pausedUntil };
}
