import type { PollContext } from "../context.ts";
import { headEnd } from "../model/phase.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { emitFound } from "../publish/emit.ts";
import { surveyWalk } from "./survey-walk.ts";

export interface Searched {
  /** `complete` where it came to the end of the list. */
  counts: PollCounts;
  /** New responses that it has met, by earlier polls too. */
  found: number;
  /** Whether it has come to its end: as many as were missing were found, or all pages were read. */
  hasEnded: boolean;
}

/**
 * Looks below the head for `missing` responses that a count has shown and the head has not. It begins where the head walk has ended, and goes as far as the time of
 * this poll allows. They are news: the next poll goes on where this one stops.
 */
export async function search(ctx: PollContext, missing: number): Promise<Searched> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const begun = mark.search ?? { page: headEnd(mark)?.page ?? 0, found: 0 };
  // The head walk has read every page.
  if (begun.page === 0) return { counts: { ...counts, complete: true }, found: 0, hasEnded: true };
  const wanted = begun.found + missing;
  let { page, found } = begun;
  const steps = surveyWalk(ctx, {
    order: "desc",
    from: page,
    proves: "contents",
    isTimeUp: () => ports.clock.now() > ctx.deadline,
  });
  let hasEnded = false;
  for (;;) {
    const next = await steps.next();
    const step = next.value;
    const emitted = await emitFound(ctx, step.toEmit, "search");
    addCounts(counts, emitted);
    addCounts(counts, { found: step.found, quarantined: step.quarantined, left: step.left });
    found += emitted.found + step.found;
    if (!emitted.unfinished && counts.left === 0) page = step.position;
    hasEnded = found >= wanted;
    if (next.done) counts.complete = next.value.kind === "end" && !next.value.isEmpty && counts.left === 0;
    if (next.done || hasEnded || counts.unfinished) break;
  }
  await steps.return(undefined as never);
  hasEnded ||= counts.complete;
  if (hasEnded) delete mark.search;
  else mark.search = { page, found };
  return { counts, found, hasEnded };
}
