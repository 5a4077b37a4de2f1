import type { PollContext } from "./context.ts";

// What a tick leaves of a catch-up to other processes.

/** Milliseconds after which a slice that was queued and has not begun is taken for lost, where no other survey is caught up. */
const QUEUED_FOR = 120_000;
/** Milliseconds for which it may wait for the slice of each other one: half as long is expected, as two are worked off at a time. */
const WAIT_FOR_EACH = 60_000;
/** The queue keeps no message longer. */
export const MOST_QUEUED_FOR = 12 * 3_600_000;
/** Milliseconds for which a slice waits for whoever works on its survey, before its message is done with. */
export const SLICE_WAITS = 30_000;

/** Whether a catch-up that is under way is none of this poll's business. */
export function isLeftToSlices({ mark, ports }: Pick<PollContext, "mark" | "ports">): boolean {
  return ports.slices !== undefined && mark.stream !== undefined;
}

/**
 * Queues a slice where one is needed and none is on its way, and notes that in the mark: before that is written whoever takes the message
 * finds the survey held, and waits; were it sent afterwards a crash could leave a note of a message that was never sent. `catchingUp`:
 * surveys whose slices may be in the queue. Were one queued again while it waits its turn, the queue would grow and all wait longer still.
 */
export async function queueSlice(
  { surveyId, mark, ports, since }: Pick<PollContext, "surveyId" | "mark" | "ports" | "since">,
  { nextTick, catchingUp }: { nextTick: number; catchingUp: number },
): Promise<void> {
  const now = ports.clock.now();
  if (ports.slices === undefined || mark.stream === undefined) return;
  const { queuedUntil = 0, queuedAt = queuedUntil - QUEUED_FOR, queuedAgainAt } = mark;
  const last = queuedAgainAt ?? queuedAt;
  // Of a clock that was far ahead nothing is known; clocks differ by less than a slice is waited for.
  const isOnItsWay = now < queuedUntil && last <= now + QUEUED_FOR && last >= (ports.slices.since ?? 0);
  // It may have come meanwhile, and have waited in vain. Once: where every poll takes so long the queue would grow by a message for each.
  const mayBeSpent = queuedAgainAt === undefined && queuedAt < since && now - since >= SLICE_WAITS;
  if (isOnItsWay && !mayBeSpent) return;
  await ports.slices.send({ surveyId, until: nextTick, queuedAt: now });
  if (isOnItsWay) {
    mark.queuedAgainAt = now;
  } else {
    mark.queuedAt = now;
    delete mark.queuedAgainAt;
  }
  mark.queuedUntil = now + Math.min(MOST_QUEUED_FOR, QUEUED_FOR + catchingUp * WAIT_FOR_EACH);
}

/**
 * Whether the mark waits for another message than the one that was queued at `queuedAt`: were that worked off too, one more would follow it,
 * and there would be two of this survey in the queue for good. Of a message that does not say when it was queued nothing is known.
 */
export function isAnotherAwaited({ mark }: Pick<PollContext, "mark">, queuedAt: number | undefined): boolean {
  if (queuedAt === undefined || mark.queuedAt === undefined) return false;
  return queuedAt !== mark.queuedAt && queuedAt !== mark.queuedAgainAt;
}

/** Notes that a slice has begun. */
export function noLongerQueued({ mark }: Pick<PollContext, "mark">): void {
  delete mark.queuedAt;
  delete mark.queuedAgainAt;
  delete mark.queuedUntil;
}
