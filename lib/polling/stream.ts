import { openBooks } from "./books.ts";
import { holdLease, type PollContext } from "./context.ts";
import { emitRuns } from "./emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import type { StreamPosition } from "./state-types.ts";
import { surveyScan } from "./survey-scan.ts";

/**
 * Streams asc pages to the end of the list, emitting page by page: holds two pages, whatever the length of the list.
 * The position is saved after each page, so that a crash costs one page and the publishes in flight.
 */
export async function stream(ctx: PollContext, from: number, purpose: StreamPosition["purpose"]): Promise<PollCounts> {
  const counts = noCounts();
  const { clock, state } = ctx.ports;
  // Only a pass from the first page to the last in one go can close the books.
  const books = from === 1 ? openBooks() : undefined;
  ctx.mark.stream = { page: from, purpose };
  const steps = surveyScan(ctx, "asc", from, books);
  for (;;) {
    const next = await steps.next();
    if (next.done) {
      counts.deferred += next.value.deferred.length;
      counts.complete = from === 1;
      books?.close(ctx.mark, clock.now());
      break;
    }
    const outcome = await emitRuns(ctx, next.value.toEmit, "catch-up");
    books?.settle(outcome);
    addCounts(counts, { ...outcome, found: next.value.found });
    ctx.mark.stream = { page: next.value.page, purpose };
    await holdLease(ctx);
    if (clock.now() > ctx.deadline) {
      await steps.return({ lastPage: 0, shortPageEnds: ctx.shortPageEnds, deferred: [], scattered: [] });
      counts.unfinished = true;
      return counts;
    }
    await state.saveMark(ctx.lease, ctx.mark);
  }
  delete ctx.mark.stream;
  delete ctx.mark.floorRises;
  ctx.mark.firstPassDone = true;
  return counts;
}
