import { openBooks } from "./books.ts";
import { holdLease, type PollContext } from "./context.ts";
import { emitRuns } from "./emit.ts";
import { toPage } from "./pages.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import type { Run } from "./records.ts";
import type { ScanEnd } from "./scan.ts";
import { stream } from "./stream.ts";
import { type SurveyStep, surveyScan } from "./survey-scan.ts";

/** Responses of page 1 remembered as the place down to which everything was settled. */
const ANCHORS = 20;

/**
 * Reads desc pages from the first until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the scan only because everything below was settled by an earlier one. While that is not
 * certain (an earlier scan with news was cut short), it reads on to a page that it knows was settled; in a first pass,
 * to one below the floor. A backlog deeper than `headPages` is not held: it is streamed in asc order.
 */
export async function headScan(ctx: PollContext): Promise<PollCounts> {
  const { mark } = ctx;
  const counts = noCounts();
  const books = openBooks();
  const steps = surveyScan(ctx, {
    order: "desc",
    from: 1,
    prove: "cuts",
    // Nothing to be proved then: a second look would be a request for nothing.
    trustEmpty: mark.firstPassDone && ctx.depth === 0,
    books,
    onNews: () => openHead(ctx),
  });
  const maySettle = settledBelow(ctx);
  const toEmit: Run[] = [];
  let newest: number[] = [];
  let deep = 0;
  for (;;) {
    const next = await steps.next();
    if (next.done) {
      await finish(counts);
      counts.complete = next.value.ended;
      counts.deferred += next.value.deferred.length;
      if (isClean(counts) && next.value.proved && next.value.ended) books.close(mark, ctx.ports.clock.now());
      break;
    }
    const step = next.value;
    if (step.page === 1) newest = step.ids.slice(0, ANCHORS);
    addCounts(counts, { found: step.found, quarantined: step.quarantined });
    toEmit.push(...step.toEmit);
    if (maySettle(step) && step.page >= ctx.depth) {
      await finish(counts);
      counts.deferred += step.deferred;
      break;
    }
    if (ctx.ports.clock.now() > ctx.deadline) {
      counts.unfinished = true;
      await finish(counts);
      return counts;
    }
    if (step.toEmit.length > 0) deep += 1;
    if (deep > ctx.source.headPages) {
      return addCounts(
        counts,
        await stream(ctx, { page: await backlogStart(ctx, steps, maySettle), purpose: "catch-up" }),
      );
    }
  }
  if (isClean(counts)) {
    delete mark.headOpen;
    mark.anchor = newest;
  }
  return counts;

  async function finish(into: PollCounts): Promise<void> {
    const outcome = await emitRuns(ctx, toEmit, "head");
    books.settle(outcome);
    addCounts(into, outcome);
  }
}

/** Whether everything that was met is dealt with, so that a later scan may rely on it. */
export function isClean(counts: PollCounts): boolean {
  return counts.held === 0 && counts.deferred === 0 && !counts.unfinished;
}

/** Written before anything of a scan with news: were it cut short, the next one must not end at the part it did. */
async function openHead(ctx: PollContext): Promise<void> {
  if (ctx.mark.headOpen) return;
  ctx.mark.headOpen = true;
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** Whether a page may be the last one of a head scan. */
function settledBelow(ctx: PollContext): (step: SurveyStep) => boolean {
  if (!ctx.mark.firstPassDone) return (step) => step.belowFloor;
  if (!ctx.mark.headOpen) return (step) => !step.news;
  const anchor = new Set(ctx.mark.anchor);
  return (step) => !step.news && step.ids.some((id) => anchor.has(id));
}

/** The asc page from which a backlog is to be streamed: reads on desc, keeping nothing, until news have ended for good. */
async function backlogStart(
  ctx: PollContext,
  steps: AsyncGenerator<SurveyStep, ScanEnd>,
  maySettle: (step: SurveyStep) => boolean,
): Promise<number> {
  let quiet = 0;
  let settled = false;
  for (;;) {
    const next = await steps.next();
    if (next.done) return 1;
    // Out of time: from the very first page nothing can be missed.
    if (ctx.ports.clock.now() > ctx.deadline) return 1;
    quiet = next.value.news ? 0 : quiet + 1;
    settled ||= maySettle(next.value);
    if (quiet < ctx.source.headPages || !settled) continue;
    const last = await lastPage(ctx, next.value.page);
    return last === undefined ? 1 : Math.max(1, last - next.value.page + 1);
  }
}

/** Doublings after which a service is taken to answer any page number. */
const MOST_DOUBLINGS = 32;

/** Number of the last page that holds records, or of the one before, found in about 2 log2 requests; `known` is one that does. */
async function lastPage(ctx: PollContext, known: number): Promise<number | undefined> {
  const digestAt = async (page: number): Promise<string | undefined> => {
    await holdLease(ctx);
    return toPage(page, await ctx.ports.service.page(ctx.surveyId, page, "asc"))?.digest;
  };
  let low = known;
  let high = known * 2;
  let beyond: string | undefined;
  let before: string | undefined;
  for (let doublings = 0; ; doublings += 1) {
    if (doublings > MOST_DOUBLINGS) return undefined;
    const digest = await digestAt(high);
    if (digest === undefined) break;
    // Two pages far apart with the same records: past its end the service repeats its last page.
    if (digest === before) {
      beyond = digest;
      high /= 2;
      low = Math.min(low, high / 2);
      break;
    }
    before = digest;
    [low, high] = [high, high * 2];
  }
  low = Math.max(known, Math.floor(low));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const digest = await digestAt(middle);
    if (digest === undefined || digest === beyond) high = middle;
    else low = middle;
  }
  // A list that moves meanwhile can make an echo seem a page: then its own neighbour is the same.
  if (beyond !== undefined && low > 1 && (await digestAt(low)) === (await digestAt(low - 1))) return undefined;
  return low;
}
