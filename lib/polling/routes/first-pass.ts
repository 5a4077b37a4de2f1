import type { PollContext } from "../context.ts";
import type { Floor } from "../model/mark.ts";
import { classOf, type Run } from "../model/records.ts";
import { toPage } from "../walk/pages.ts";
import { stream } from "./catch-up.ts";
import { floorCap } from "./floor-cap.ts";
import { headScan } from "./head.ts";
import { newestDate, orderedByCompletion, orderedByStart } from "./list-order.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./poll-counts.ts";
import { believesEmpty, isStillThere } from "./still-there.ts";

/** Whether a survey's history counts: one that came to be after the source's first tick is taken from its beginning. */
export type Presence = "present" | "later";

/** Completed responses on the first pages of both orders that say something of the order. */
const LEAST_COMPLETED = 6;

/**
 * The first poll of a survey: sets the floor, then meets everything that is there. Where the list is ordered by
 * completion that ends below the floor; else every page is read once, because only the ledger can tell later what
 * was there already.
 */
export async function firstPass(ctx: PollContext, presence: Presence): Promise<PollCounts> {
  const { startFrom } = ctx.source;
  const { mark } = ctx;
  if (startFrom === "beginning" || presence === "later") {
    await setFloor(ctx, { at: null, inclusive: true });
    return streamAll(ctx);
  }
  const first = await firstPageRuns(ctx, "desc");
  const ascending = await firstPageRuns(ctx, "asc");
  const now = ctx.ports.clock.now();
  // An arrival between the two looks makes an ordered list seem unordered, and a page may be read as empty by mistake.
  const again = orderedByCompletion(first, ascending, now) ? [] : await firstPageRuns(ctx, "desc");
  const descending = again.length > 0 ? again : first;
  const runs = [...first, ...again, ...ascending];
  const isEmpty = descending.length === 0 || ascending.length === 0;
  if (isEmpty && runs.length + (ctx.listedCount ?? 0) > 0 && !believesEmpty(ctx)) {
    return { ...noCounts(), unfinished: true };
  }
  const newest = newestDate(runs, now);
  const noneCompleted = onlyPage(descending, ascending) && !runs.some((run) => classOf(run) === "completed");
  // Few dates are in order by chance, and those of a list sorted by start mostly are.
  const tells =
    onlyPage(descending, ascending) ||
    (completedOf([...descending, ...ascending]) >= LEAST_COMPLETED && !orderedByStart(descending, ascending, now));
  const ordered = noneCompleted || (newest !== undefined && tells && orderedByCompletion(descending, ascending, now));
  // A floor that stands from an earlier poll stays, and so does the way in which it was found.
  if (mark.floor !== undefined) return meetAll(ctx, ordered && mark.floorRises !== true);
  if (startFrom !== "now") await setFloor(ctx, { at: `${startFrom} 00:00:00`, inclusive: true });
  // Nothing is complete yet, so whatever completes from now on is new.
  else if (noneCompleted) await setFloor(ctx, { at: null, inclusive: true });
  else {
    const cap = floorCap(ctx);
    if (cap !== undefined) mark.floorCap = cap;
    if (!ordered) mark.floorRises = true;
    const at = newest ?? "";
    await setFloor(ctx, { at: cap !== undefined && cap < at ? cap : at, inclusive: false });
  }
  return meetAll(ctx, ordered);
}

/** Number of completed responses. */
function completedOf(runs: Run[]): number {
  return new Set(runs.filter((run) => classOf(run) === "completed").map(({ responseId }) => responseId)).size;
}

/** Meets every response that may have been there when the floor was set. */
async function meetAll(ctx: PollContext, ordered: boolean): Promise<PollCounts> {
  if (!ordered) return streamAll(ctx);
  const counts = await headScan(ctx);
  if (!isClean(counts)) return counts;
  if (counts.complete && !(await isStillThere(ctx))) return { ...counts, unfinished: true };
  ctx.mark.firstPassDone = true;
  return counts;
}

/** The floor stands from the first moment on: a crash must not let a later poll set a later one. */
async function setFloor(ctx: PollContext, floor: Floor): Promise<void> {
  if (ctx.mark.floor !== undefined) return;
  ctx.mark.floor = floor;
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** After a whole pass in asc order, the head is looked at: the list may have its news elsewhere than at the asc end. */
async function streamAll(ctx: PollContext): Promise<PollCounts> {
  const counts = await stream(ctx, { page: 1, purpose: "first-pass" });
  return isClean(counts) ? addCounts(counts, await headScan(ctx)) : counts;
}

async function firstPageRuns(ctx: PollContext, order: "asc" | "desc"): Promise<Run[]> {
  return toPage(1, await ctx.ports.service.page(ctx.surveyId, 1, order))?.runs ?? [];
}

/** Whether both orders showed the same responses: then there is no further page between them. */
function onlyPage(descending: Run[], ascending: Run[]): boolean {
  const ids = new Set(descending.map((run) => run.responseId));
  return (
    ids.size === new Set(ascending.map((run) => run.responseId)).size &&
    ascending.every((run) => ids.has(run.responseId))
  );
}
