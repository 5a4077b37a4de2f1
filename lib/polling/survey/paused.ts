import type { AccountState } from "../model/account.ts";
import type { PollingSource } from "../model/source.ts";
import type { Ports } from "../ports.ts";

/** Milliseconds: the longest pause that is waited for within a tick. A longer one ends the tick instead of keeping a paid function asleep. */
export const LONGEST_WAIT = 20_000;

/**
 * Until when (epoch milliseconds) the service is to be left alone, where that outlasts a tick. Undefined when work goes on: the client waits for the end of a short
 * pause of the service.
 */
export function pauseOf(
  { ports, source, deadline }: { ports: Ports; source: PollingSource; deadline: number },
  { pausedUntil, pausedSince }: AccountState,
): number | undefined {
  const left = (pausedUntil ?? 0) - ports.clock.now();
  if (pausedUntil === undefined || left <= 0) return undefined;
  // Ticks without a time between them have no next one to leave it to.
  const isNextSooner = source.interval > 0 && left >= source.interval;
  const isShort = !isNextSooner && left <= LONGEST_WAIT && pausedUntil <= deadline;
  return isShort && pausedSince === undefined ? undefined : pausedUntil;
}
