import type { PollContext } from "./context.ts";

// What a tick leaves of a catch-up to other processes.

/** Milliseconds after which a slice that was queued and has not begun is taken for lost. */
const QUEUED_FOR = 120_000;

/** Whether a catch-up that is under way is none of this poll's business. */
export function isLeftToSlices({ mark, ports }: Pick<PollContext, "mark" | "ports">): boolean {
  return ports.slices !== undefined && mark.stream !== undefined;
}

/** Notes that a slice is queued, unless one is already, or none is needed; the message is sent when the lease is free. */
export function queueSlice({ mark, ports }: PollContext): boolean {
  const now = ports.clock.now();
  if (ports.slices === undefined || mark.stream === undefined) return false;
  const { queuedUntil = 0 } = mark;
  const queuedAt = queuedUntil - QUEUED_FOR;
  // Of a clock that was far ahead nothing is known; clocks differ by less than a slice is waited for.
  const isOnItsWay = now < queuedUntil && queuedAt <= now + QUEUED_FOR && queuedAt >= (ports.slices.since ?? 0);
  if (isOnItsWay) return false;
  mark.queuedUntil = now + QUEUED_FOR;
  return true;
}
