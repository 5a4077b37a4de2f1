import type { Allowance, PollContext } from "../context.ts";
import type { Run } from "../model/records.ts";
import { learnNewsEnd, tailOrder } from "./news-end.ts";
import { isClean, type PollCounts } from "./poll-counts.ts";
import { slice } from "./slice.ts";

/**
 * Before the pages below the head are searched for what the counts have shown, the first page of the list's other end is
 * read: one request, for a list that may run the other way. Gives how many responses it found there.
 */
export async function lookAtOtherEnd(
  ctx: PollContext,
  allowance: Allowance,
): Promise<{ counts: PollCounts; found: number }> {
  let found = 0;
  let first: Run[] = [];
  const { counts } = await slice(ctx, {
    order: tailOrder(ctx.mark),
    from: { page: 0 },
    origin: "look-back",
    prove: "cuts",
    allowance,
    onPage: async ({ page, runs, toEmit, found: waiting }) => {
      if (page === 1) first = runs;
      found += toEmit.length + waiting;
      return toEmit.length + waiting === 0;
    },
  });
  if (found > 0 && isClean(counts)) learnNewsEnd(ctx.mark, first, ctx.ports.clock.now());
  return { counts, found };
}
