import { openBooks } from "./books.ts";
import { holdLease, type PollContext } from "./context.ts";
import { emitRuns } from "./emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import type { Run } from "./records.ts";
import type { ScanEnd } from "./scan.ts";
import { stream } from "./stream.ts";
import { type SurveyStep, surveyScan } from "./survey-scan.ts";

/**
 * Reads desc pages from the first until one holds nothing new (and at least `depth` of them), and emits what it found, oldest first.
 * A backlog deeper than `headPages` is not held: where it begins is found, and it is streamed from there in asc order.
 */
export async function headScan(ctx: PollContext): Promise<PollCounts> {
  const counts = noCounts();
  const books = openBooks();
  const steps = surveyScan(ctx, "desc", 1, books);
  const toEmit: Run[] = [];
  let deep = 0;
  for (;;) {
    const next = await steps.next();
    if (next.done) return finish(next.value);
    counts.found += next.value.found;
    toEmit.push(...next.value.toEmit);
    if (!next.value.news && next.value.page >= ctx.depth) return finish(undefined);
    if (next.value.toEmit.length > 0) deep += 1;
    if (deep > ctx.source.headPages)
      return addCounts(counts, await stream(ctx, await backlogStart(ctx, steps), "catch-up"));
  }

  async function finish(end: ScanEnd | undefined): Promise<PollCounts> {
    const outcome = await emitRuns(ctx, toEmit, "head");
    books.settle(outcome);
    addCounts(counts, outcome);
    counts.deferred += end?.deferred.length ?? 0;
    counts.complete = end !== undefined;
    if (end !== undefined) books.close(ctx.mark, ctx.ports.clock.now());
    return counts;
  }
}

/** The asc page from which a backlog is to be streamed: reads on desc, keeping nothing, until news have ended for good. */
async function backlogStart(ctx: PollContext, steps: AsyncGenerator<SurveyStep, ScanEnd>): Promise<number> {
  let quiet = 0;
  for (;;) {
    const next = await steps.next();
    if (next.done) return 1;
    await holdLease(ctx);
    // Out of time: from the very first page nothing can be missed.
    if (ctx.ports.clock.now() > ctx.deadline) return 1;
    quiet = next.value.news ? 0 : quiet + 1;
    if (quiet < ctx.source.headPages) continue;
    const last = await lastPage(ctx, next.value.page);
    return Math.max(1, last - next.value.page);
  }
}

/** Number of the last page that holds records, found in about 2 log2 requests. `known` is one that does. */
async function lastPage(ctx: PollContext, known: number): Promise<number> {
  const holds = async (page: number): Promise<boolean> => {
    await holdLease(ctx);
    const read = await ctx.ports.service.page(ctx.surveyId, page, "asc");
    return read.kind === "page" && read.records.length > 0;
  };
  let low = known;
  let high = known * 2;
  while (await holds(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
