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
  /** Responses for which it was made, where all pages were read and nothing was met, by earlier polls too; else 0. */
  vain: number;
}

/**
 * Looks below the head for `missing` responses that a count has shown and the head has not. It begins where the head walk has ended, and goes as far as the
 * tick's own time allows. They are news: the next poll goes on where this one stops.
 */
export async function search(ctx: PollContext, missing: number): Promise<Searched> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const begun = mark.search ?? { page: headEnd(mark)?.page ?? 0, found: 0, missing };
  // The head walk has read every page.
  if (begun.page === 0) return { counts: { ...counts, complete: true }, vain: missing };
  let { page } = begun;
  let read = 0;
  // A response that counts show from now on may stand where it has been already.
  const madeFor = Math.min(begun.missing, missing);
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
    // Should the next page fail, what was read is not read again.
    mark.search = { page, found: begun.found + counts.found, missing: madeFor };
    counts.complete = step.end?.kind === "end" && !step.end.isEmpty && counts.left === 0;
    if (counts.found >= missing || counts.unfinished) break;
  }
  if (counts.complete || counts.found >= missing) delete mark.search;
  return { counts, vain: counts.complete && begun.found + counts.found === 0 ? madeFor : 0 };
}
