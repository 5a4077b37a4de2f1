import { closeBooks } from "../books/books.ts";
import { createPassIds } from "../books/pass-ids.ts";
import { asNews, type PollContext } from "../context.ts";
import type { Mark } from "../model/mark.ts";
import { learnSortKey } from "../model/sort-key.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";
import { PAGE_SIZE } from "../walk/page.ts";
import { backlogStart } from "./backlog-start.ts";
import { catchUp } from "./catch-up.ts";
import { isBelieved } from "./first-look.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./poll-counts.ts";
import { type SurveyEnd, type SurveyPage, type SurveyStep, surveyWalk } from "./survey-walk.ts";

/** Milliseconds that a walk must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/** What a head walk has found so far. */
interface Head {
  toEmit: Found[];
  /** The last page read. */
  readTo: number;
  /** Pages that showed something new. */
  withNews: Set<number>;
  /** Whether page 1 holds fewer records than a page may. */
  isShort: boolean;
}

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the walk only because everything below was settled by an earlier one. While that is not certain, as an earlier walk with
 * news was cut short, it reads on to the depth that the mark has recorded. In a first pass it reads on to a page below the floor. A backlog
 * deeper than `headPages` is not held in memory: it is caught up, oldest first.
 */
export async function headWalk(ctx: PollContext): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const startedAt = ports.clock.now();
  const wasOpen = mark.headOpen !== undefined;
  const counts = noCounts();
  const ids = createPassIds();
  const head: Head = { toEmit: [], readTo: 0, withNews: new Set(), isShort: false };
  const isEnough = endOf(mark);
  const steps = surveyWalk(ctx, {
    order: "desc",
    from: 1,
    proves: "contents",
    ids,
    isEnough: (page) => {
      head.readTo = Math.max(head.readTo, page.page);
      if (page.news) head.withNews.add(page.page);
      return isEnough(page);
    },
    isTimeUp: () => ports.clock.now() > ctx.deadline,
    beforeWrites: () => openHead(ctx, head.readTo),
  });
  let end: SurveyEnd;
  for (;;) {
    const next = await steps.next();
    take(ctx, head, counts, next.value);
    if (next.done) {
      end = next.value;
      break;
    }
    if (head.withNews.size > ctx.source.headPages) {
      const purpose = mark.firstPassDone ? "catch-up" : "first-pass";
      const caughtUp = asNews(ctx, async () => {
        const page = await backlogStart(ctx, steps, head.withNews);
        return catchUp(ctx, { page, purpose });
      });
      return addCounts(counts, await caughtUp);
    }
  }
  if (head.toEmit.length > 0) await openHead(ctx, head.readTo);
  addCounts(counts, await emitFound(ctx, head.toEmit, "head"));
  if (end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = ctx.deadline - startedAt >= OWN_TIME;
    if (wasOpen && hadTime) mark.stream = { page: 1, purpose: mark.firstPassDone ? "catch-up" : "first-pass" };
    return { ...counts, unfinished: true };
  }
  return close(ctx, counts, end, async () => {
    // One page is read at one moment: nothing can have slipped through.
    const isAll = end.page <= 1 && head.isShort && end.by === "two looks" && !end.moved && end.steppedOver.length === 0;
    if (isAll) await closeBooks(ctx, { ids, startedAt, moved: false, changed: 0, repaired: counts.repaired, found: 0 });
  });
}

function take(ctx: PollContext, head: Head, counts: PollCounts, step: SurveyStep): void {
  const { mark, ports } = ctx;
  if (step.page === 1 && step.runs.length > 0) {
    head.isShort = step.runs.reduce((sum, { records }) => sum + records.length, 0) < PAGE_SIZE;
    const sortKey = learnSortKey(mark.sortKey, step.runs, ports.clock.now());
    if (sortKey !== undefined) mark.sortKey = sortKey;
  }
  addCounts(counts, { found: step.found, quarantined: step.quarantined, left: step.left });
  head.toEmit.push(...step.toEmit);
}

/** Notes how the walk has ended, once everything that it found is dealt with. */
async function close(
  ctx: PollContext,
  counts: PollCounts,
  end: SurveyEnd,
  onAll: () => Promise<void>,
): Promise<PollCounts> {
  const { mark, ports } = ctx;
  if (end.kind === "failed") {
    if (mark.headOpen !== undefined) mark.headOpen = Math.max(mark.headOpen, end.page);
    return { ...counts, left: counts.left + 1 };
  }
  // A survey that is gone for a moment looks like one without responses.
  if (!mark.firstPassDone && end.isEmpty && !isBelieved(ctx, 0, false)) return { ...counts, unfinished: true };
  counts.complete = end.kind === "end" && end.by !== "one look";
  if (!isClean(counts)) return counts;
  if (counts.complete) await onAll();
  delete mark.headOpen;
  if (end.steppedOver.length > 0 && !mark.firstPassDone) mark.isHistoryPartial = true;
  if (counts.complete) delete mark.headEnd;
  else mark.headEnd = { page: Math.max(1, end.page), at: ports.clock.now() };
  return counts;
}

/** Written before anything of a walk with news: were it cut short, the next one must not end above where this one has read to. */
async function openHead(ctx: PollContext, readTo: number): Promise<void> {
  if (readTo <= (ctx.mark.headOpen ?? 0)) return;
  ctx.mark.headOpen = readTo;
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** Whether a page may be the last one of a head walk. */
function endOf({ firstPassDone, headOpen }: Mark): (page: SurveyPage) => boolean {
  if (!firstPassDone) return ({ belowFloor }) => belowFloor;
  // Pages that hold nothing but news have come on top of the ones that were read then; and one more for what they have moved.
  const depth = headOpen === undefined ? 0 : headOpen + 1;
  const known = new Set<number>();
  return ({ page, news, isKnown }) => {
    if (isKnown) known.add(page);
    return !news && known.size >= depth;
  };
}
