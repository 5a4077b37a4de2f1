import type { PollContext } from "./context.ts";
import { headScan } from "./head-scan.ts";
import { toPage } from "./pages.ts";
import { addCounts, type PollCounts } from "./poll-counts.ts";
import { classOf, type Run } from "./records.ts";
import { newestDate, orderedByCompletion } from "./settle.ts";
import { stream } from "./stream.ts";

/** Whether a survey's history counts: one that came to be after the source's first tick is taken from its beginning. */
export type Presence = "present" | "later";

/**
 * The first poll of a survey: sets the floor, then meets everything that is there. Where the list is ordered by
 * completion that ends below the floor; else every page is read once, because only the ledger can tell later what
 * was there already.
 */
export async function firstPass(ctx: PollContext, presence: Presence): Promise<PollCounts> {
  const { startFrom } = ctx.source;
  if (startFrom === "beginning" || presence === "later") {
    ctx.mark.floor = { at: null, inclusive: true };
    return streamAll(ctx);
  }
  const descending = await firstPageRuns(ctx, "desc");
  const ascending = await firstPageRuns(ctx, "asc");
  const now = ctx.ports.clock.now();
  const runs = [...descending, ...ascending];
  const ordered = orderedByCompletion(descending, ascending, now);
  const newest = newestDate(runs, now);

  if (startFrom === "now" && newest === undefined && onlyPage(descending, ascending)) {
    // Nothing is complete yet, so whatever completes from now on is new.
    if (!runs.some((run) => classOf(run) === "completed")) ctx.mark.floor = { at: null, inclusive: true };
  }
  ctx.mark.floor ??=
    startFrom === "now"
      ? { at: capped(ctx, newest ?? ""), inclusive: false }
      : { at: capped(ctx, `${startFrom} 00:00:00`), inclusive: true };

  if (ordered) {
    const counts = await headScan(ctx);
    if (!counts.unfinished) ctx.mark.firstPassDone = true;
    return counts;
  }
  if (startFrom === "now") ctx.mark.floorRises = true;
  return streamAll(ctx);
}

/** After a whole pass in asc order, the head is looked at: the list may have its news elsewhere than at the asc end. */
async function streamAll(ctx: PollContext): Promise<PollCounts> {
  const counts = await stream(ctx, 1, "first-pass");
  return counts.unfinished ? counts : addCounts(counts, await headScan(ctx));
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

/** A floor is never above what was newest in the source's first tick: a survey polled late must lose nothing. */
function capped(ctx: PollContext, at: string): string {
  return ctx.sourceFloor !== undefined && ctx.sourceFloor < at ? ctx.sourceFloor : at;
}
