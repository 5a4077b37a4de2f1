import type { PollContext } from "../context.ts";
import { headEnd } from "../model/phase.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { emitFound } from "../publish/emit.ts";
import { surveyWalk } from "./survey-walk.ts";

/** Pages that a search reads at least in one tick: two of them find its place again. */
const LEAST_PAGES = 4;

export interface Searched {
  /** `complete` where it came to the end of the list. */
  counts: PollCounts;
  /** New responses that it has met, by earlier polls too. */
  found: number;
  /** Whether it has come to its end: as many as were missing were found, or all pages were read. */
  hasEnded: boolean;
}

/**
 * Looks below the head for `missing` responses that a count has shown and the head has not. It begins where the head walk has ended, and goes as far as the
 * tick's own time allows. They are news: the next poll goes on where this one stops.
 */
export async function search(ctx: PollContext, missing: number): Promise<Searched> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const begun = mark.search ?? { page: headEnd(mark)?.page ?? 0, found: 0 };
  // The head walk has read every page.
  if (begun.page === 0) return { counts: { ...counts, complete: true }, found: 0, hasEnded: true };
  let { page } = begun;
  let read = 0;
  const steps = surveyWalk(ctx, {
    order: "desc",
    from: page,
    proves: "contents",
    isEnough: () => {
      read += 1;
      return false;
    },
    // Other surveys wait for the tick to come to its end.
    isTimeUp: () => read >= LEAST_PAGES && ports.clock.now() > ctx.streamUntil,
  });
  for await (const step of steps) {
    addCounts(counts, await emitFound(ctx, step.toEmit, "search"));
    addCounts(counts, step);
    if (isClean(counts)) page = step.position;
    counts.complete = step.end?.kind === "end" && !step.end.isEmpty && counts.left === 0;
    if (counts.found >= missing || counts.unfinished) break;
  }
  const found = begun.found + counts.found;
  const hasEnded = counts.complete || counts.found >= missing;
  if (hasEnded) delete mark.search;
  else mark.search = { page, found };
  return { counts, found, hasEnded };
}
