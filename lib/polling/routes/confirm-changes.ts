import type { PollContext } from "../context.ts";
import { APART, forgetSights } from "../ledger/changes.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { emitFound } from "../publish/emit.ts";
import { surveyWalk } from "./survey-walk.ts";

/** Epoch milliseconds at which a change that was seen is to be read again; never where none was. */
export function nextChange({ mark }: Pick<PollContext, "mark">): number {
  return Math.min(Number.POSITIVE_INFINITY, ...(mark.changes ?? []).map(({ at }) => at + APART));
}

/** Reads the page on which a change was seen once more, with its neighbours, up to the end of the response. Whatever changes hold still there are told. */
export async function confirmChanges(ctx: PollContext): Promise<PollCounts> {
  const counts = noCounts();
  const now = ctx.ports.clock.now();
  const due = (ctx.mark.changes ?? []).filter(({ at }) => at + APART <= now);
  const [first] = due;
  if (first === undefined) return counts;
  const { order, page } = first;
  const steps = surveyWalk(ctx, {
    order,
    from: Math.max(1, page - 1),
    // A response that goes on behind a page is whole by both.
    proves: "coverage",
    triesAgain: true,
    // fault: change-read-to-page-end
    isEnough: ({ page: read }) => read.number > page && read.runs.at(-1)?.responseId !== first.id,
  });
  for await (const step of steps) {
    addCounts(counts, await emitFound(ctx, step.toEmit, "patrol"));
    addCounts(counts, step);
    if (counts.unfinished) break;
  }
  // It is not there any more.
  forgetSights(ctx.mark, [first]);
  return counts;
}
