import type { PollContext } from "../context.ts";
import { placeOf } from "../model/phase.ts";

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
  return ports.slices !== undefined && placeOf(mark) !== undefined;
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
  if (ports.slices === undefined || placeOf(mark) === undefined) return;
  const { queuedUntil = 0, queuedAt = queuedUntil - QUEUED_FOR } = mark;
  // Of a clock that was far ahead nothing is known; clocks differ by less than a slice is waited for.
  const isOnItsWay = now < queuedUntil && queuedAt <= now + QUEUED_FOR && queuedAt >= (ports.slices.since ?? 0);
  // It may have come meanwhile, and have waited in vain. Once: where every poll takes so long the queue would grow by a message for each.
  const mayBeSpent = mark.queuedAgain !== true && queuedAt < since && now - since >= SLICE_WAITS;
  if (isOnItsWay && !mayBeSpent) return;
  const number = (mark.slicesQueued ?? 0) + 1;
  await ports.slices.send({ surveyId, until: nextTick, number });
  mark.slicesQueued = number;
  mark.queuedAt = now;
  mark.queuedUntil = now + Math.min(MOST_QUEUED_FOR, QUEUED_FOR + catchingUp * WAIT_FOR_EACH);
  if (isOnItsWay) mark.queuedAgain = true;
  else delete mark.queuedAgain;
}

/**
 * Whether a slice has begun since the message of this number was queued: of several messages the first that comes is worked off. Were all of
 * them, one more would follow each, and there would be as many in the queue for good. One without a number is taken as it comes.
 */
export function isOutdated({ mark }: Pick<PollContext, "mark">, number: number | undefined): boolean {
  return number !== undefined && number <= (mark.slicesBegun ?? 0);
}

/** Notes that a slice has begun. */
export function noteBegun({ mark }: Pick<PollContext, "mark">): void {
  delete mark.queuedAt;
  delete mark.queuedAgain;
  delete mark.queuedUntil;
  if (mark.slicesQueued !== undefined) mark.slicesBegun = mark.slicesQueued;
}
