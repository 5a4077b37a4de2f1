import { closeBooks, openBooks } from "../books/books.ts";
import { asNews, type PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { ScanPosition } from "../model/mark.ts";
import type { Run } from "../model/records.ts";
import { learnSortKey } from "../model/sort-key.ts";
import { emitRuns } from "../publish/emit.ts";
import { repairShort, repairSuspects } from "../publish/repair.ts";
import { backlogStart } from "./backlog-start.ts";
import { stream } from "./catch-up.ts";
import { doubtNewsEnd, headOrder } from "./news-end.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./poll-counts.ts";
import { positionAfter } from "./slice.ts";
import { type SurveyStep, surveyScan } from "./survey-scan.ts";

/** Responses of page 1 remembered as the place down to which everything was settled. */
const ANCHORS = 20;
/** Milliseconds that a scan must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/**
 * Reads pages from the end where news appear until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the scan only because everything below was settled by an earlier one. While that is not
 * certain (an earlier scan with news was cut short), it reads on to a page that it knows was settled; in a first pass,
 * to one below the floor. A backlog deeper than `headPages` is not held: it is streamed, oldest first. So is a list that a scan
 * which reads on could not read down to such a page in its time: the next one would begin at page 1 again, and what lies below would never be met.
 */
export async function headScan(ctx: PollContext): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const books = openBooks(new Set());
  const startedAt = ports.clock.now();
  const steps = surveyScan(ctx, {
    order: headOrder(mark),
    from: 1,
    prove: "cuts",
    // Nothing is looked for then: a second look would be a request for nothing.
    trustEmpty: mark.firstPassDone && mark.headOpen !== true,
    books,
    onNews: () => openHead(ctx),
  });
  const maySettle = settledBelow(ctx);
  const wasOpen = mark.headOpen === true;
  const toEmit: Run[] = [];
  const short: Run[] = [];
  let first: Run[] = [];
  let ids: number[] = [];
  let deep = 0;
  let end: ScanPosition | undefined;
  for (;;) {
    const next = await steps.next().catch(async (error: unknown) => {
      if (endsWork(error)) throw error;
      // What is whole need not wait until the pages behind it can be read.
      await finish(counts);
      throw error;
    });
    if (next.done) {
      await finish(counts);
      counts.repaired += await repairSuspects(ctx, next.value.scattered, "head");
      counts.complete = next.value.ended;
      counts.deferred += next.value.deferred.length;
      // An empty page that was taken as it is tells nothing of what was settled.
      if (!next.value.ended) return counts;
      if (isClean(counts) && next.value.proved) await closeBooks(ctx, { books, startedAt, moved: false });
      break;
    }
    const step = next.value;
    if (step.page === 1) {
      first = step.runs;
      ids = step.ids;
      const sortKey = learnSortKey(mark.sortKey, step.runs, ports.clock.now());
      if (sortKey !== undefined) mark.sortKey = sortKey;
    }
    addCounts(counts, { found: step.found, quarantined: step.quarantined, left: step.left });
    toEmit.push(...step.toEmit);
    short.push(...step.short);
    if (maySettle(step)) {
      end = positionAfter(step);
      await finish(counts);
      counts.deferred += step.deferred;
      break;
    }
    if (ctx.ports.clock.now() > ctx.deadline) {
      counts.unfinished = true;
      await finish(counts);
      const hadTime = ctx.deadline - startedAt >= OWN_TIME;
      if (wasOpen && hadTime) mark.stream = { page: 1, purpose: mark.firstPassDone ? "catch-up" : "first-pass" };
      return counts;
    }
    if (step.toEmit.length > 0) deep += 1;
    if (deep > ctx.source.headPages) {
      const catchUp = async (): Promise<PollCounts> =>
        stream(ctx, { page: await backlogStart(ctx, steps, maySettle, step.page), purpose: "catch-up" });
      return addCounts(counts, await asNews(ctx, catchUp));
    }
  }
  if (isClean(counts)) {
    delete mark.headOpen;
    mark.anchor = ids.slice(0, ANCHORS);
    if (end === undefined) delete mark.headEnd;
    else mark.headEnd = { ...end, at: ports.clock.now() };
    doubtNewsEnd(mark, first, ports.clock.now());
  }
  return counts;

  async function finish(into: PollCounts): Promise<void> {
    const outcome = await emitRuns(ctx, toEmit, "head");
    outcome.repaired = await repairShort(ctx, short, "head");
    books.settle(outcome);
    addCounts(into, outcome);
  }
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
  let reached = false;
  return (step) => {
    reached ||= step.ids.some((id) => anchor.has(id));
    return reached && !step.news;
  };
}
