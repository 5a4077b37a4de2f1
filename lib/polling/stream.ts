import { closeBooks, openBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import { holdLease, type PollContext } from "./context.ts";
import { emitRuns } from "./emit.ts";
import { tailOrder } from "./news-end.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { repairShort, repairSuspects } from "./repair.ts";
import type { StreamPosition } from "./state-types.ts";
import { isStillThere } from "./still-there.ts";
import { surveyScan } from "./survey-scan.ts";

/** Ids that a stream holds: more are left to the full pass that follows, which keeps them elsewhere. */
const MOST_IDS = 50_000;

/**
 * Streams pages to the end of the list where news appear, emitting page by page: holds two pages, whatever the length of the list.
 * The position is saved after each page, so that a crash costs one page and the publishes in flight. It does not pass
 * the first page with a response that had to be left: there the stream begins again.
 */
export async function stream(ctx: PollContext, { page: reached, purpose }: StreamPosition): Promise<PollCounts> {
  // One page back: a deletion meanwhile has moved records there.
  const from = Math.max(1, reached - 1);
  const counts = noCounts();
  const { clock, state } = ctx.ports;
  // Only a pass from the first page to the last in one go can close the books.
  const books = from === 1 ? openBooks(new Set(), undefined, MOST_IDS) : undefined;
  const startedAt = clock.now();
  const position: StreamPosition = { page: reached, purpose };
  ctx.resumed ||= ctx.mark.stream !== undefined;
  ctx.mark.stream = position;
  await state.saveMark(ctx.lease, ctx.mark);
  const steps = surveyScan(ctx, {
    order: tailOrder(ctx.mark),
    from, // What a first pass misses would be taken for new by the next scan that meets it.
    prove: purpose === "first-pass" ? "all" : "news",
    ...(books === undefined ? {} : { books }),
  });
  for (;;) {
    const next = await steps.next();
    if (next.done) {
      counts.deferred = next.value.deferred.length;
      counts.complete = from === 1;
      counts.repaired += await repairSuspects(ctx, next.value.scattered, "catch-up");
      if (next.value.proved && books !== undefined) await closeBooks(ctx, { books, startedAt, moved: false });
      break;
    }
    const outcome = await emitRuns(ctx, next.value.toEmit, "catch-up");
    outcome.repaired = await repairShort(ctx, next.value.short, "catch-up");
    books?.settle(outcome);
    const { found, quarantined } = next.value;
    addCounts(counts, { ...outcome, found: outcome.found + found, quarantined: outcome.quarantined + quarantined });
    counts.deferred = next.value.deferred;
    if (counts.deferred + counts.held === 0 && !counts.unfinished) position.page = Math.max(reached, next.value.page);
    await holdLease(ctx);
    // However short the time is, a slice gets beyond the page where the last one stopped.
    const further = next.value.page > reached || reached === 1;
    if (counts.unfinished || (further && clock.now() > ctx.deadline)) {
      counts.unfinished = true;
      ctx.resumed = true;
      return counts;
    }
    await state.saveMark(ctx.lease, ctx.mark);
  }
  // What is held because nothing can tell whether it is whole is joined by a full pass of another kind.
  if (counts.deferred > 0 || (counts.held > 0 && !isUnproved(ctx))) return counts;
  if (purpose === "first-pass" && !(await isStillThere(ctx))) return { ...counts, unfinished: true };
  delete ctx.mark.stream;
  delete ctx.mark.floorRises;
  delete ctx.mark.headOpen;
  ctx.mark.firstPassDone = true;
  return counts;
}
