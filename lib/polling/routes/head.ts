import { closeBooks } from "../books/books.ts";
import { createPassIds } from "../books/pass-ids.ts";
import { asNews, type PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { Mark, Phase } from "../model/mark.ts";
import { beginAllPages, followHead, isHistoryMet, openTo } from "../model/phase.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";
import { PAGE_SIZE, toPage } from "../walk/page.ts";
import { backlogStart } from "./backlog-start.ts";
import { catchUp } from "./catch-up.ts";
import { MOST_FAILURES } from "./failing-page.ts";
import { isBelieved } from "./first-look.ts";
import { type SurveyEnd, type SurveyPage, type SurveyStep, surveyWalk } from "./survey-walk.ts";

/** Milliseconds that a walk must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/** Responses that are listed no more, beyond which full passes alone close the books: the whole ledger is read for that. */
const MOST_GONE = 1_000;

/** The findings of a head walk so far. */
interface Head {
  toEmit: Found[];
  /** Pages that showed something new. */
  withNews: Set<number>;
  /** Whether page 1 holds fewer records than a page may. */
  isShort: boolean;
}

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the walk only because an earlier one has settled everything below. An earlier walk with news that was cut short leaves that uncertain: then
 * it reads on to the depth that the mark has recorded. In a first pass it reads on to a page below the floor. A backlog deeper than `headPages` is not held in
 * memory: it is caught up, oldest first.
 */
export async function headWalk(ctx: PollContext): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const startedAt = ports.clock.now();
  const wasOpen = openTo(mark) !== undefined;
  const counts = noCounts();
  const ids = createPassIds();
  const head: Head = { toEmit: [], withNews: new Set(), isShort: false };
  const isEnough = endOf(mark);
  const steps = surveyWalk(ctx, {
    order: "desc",
    from: 1,
    proves: "contents",
    ids,
    isEnough: (page) => {
      if (page.news) head.withNews.add(page.page);
      return isEnough(page);
    },
    isTimeUp: () => ports.clock.now() > ctx.deadline,
    beforeWrites: () => openHead(ctx, deepest(head)),
  });
  let end: SurveyEnd;
  for (;;) {
    const next = await steps.next();
    take(head, counts, next.value);
    if (next.done) {
      end = next.value;
      break;
    }
    if (head.withNews.size > ctx.source.headPages) {
      const caughtUp = asNews(ctx, async () => {
        const page = await backlogStart(ctx, steps, head.withNews);
        return catchUp(ctx, { page });
      });
      return addCounts(counts, await caughtUp);
    }
  }
  if (head.toEmit.length > 0) await openHead(ctx, deepest(head));
  addCounts(counts, await emitFound(ctx, head.toEmit, "head"));
  if (end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = ctx.deadline - startedAt >= OWN_TIME;
    if (wasOpen && hadTime) beginAllPages(mark, { page: 1 });
    return { ...counts, unfinished: true };
  }
  return close(ctx, counts, end, async () => {
    // One page is read at one moment: nothing can have slipped through. A glitch may hide what lies behind it, which the count tells.
    const isOnePage = end.page <= 1 && head.isShort && !end.moved && end.steppedOver.length === 0;
    const { listedCount = Number.POSITIVE_INFINITY } = ctx;
    const { deficit, gone = 0 } = mark.books ?? {};
    const isAll = isOnePage && ids.all.size >= listedCount - (deficit ?? 0) && gone <= MOST_GONE;
    const isNews = counts.found + counts.repaired > 0 || ids.all.size !== mark.books?.listed;
    if (isAll && (isNews || mark.booksOpen !== undefined) && (await endsThere(ctx, end)))
      await closeBooks(ctx, { ids, startedAt, moved: false, changed: 0, repaired: counts.repaired, found: 0 });
  });
}

/** Whether nothing stands behind a list of one page. Where its length alone has said so it is looked at, as full passes do (R8). */
async function endsThere(ctx: PollContext, { by }: SurveyEnd): Promise<boolean> {
  if (by !== "short page") return true;
  try {
    const isLast = toPage(2, await ctx.ports.service.page(ctx.surveyId, 2, "desc")) === undefined;
    if (!isLast) ctx.shortPageEnds = false;
    return isLast;
  } catch (error) {
    if (endsWork(error)) throw error;
    return false;
  }
}

function take(head: Head, counts: PollCounts, step: SurveyStep): void {
  if (step.page === 1 && step.runs.length > 0) {
    head.isShort = step.runs.reduce((sum, { records }) => sum + records.length, 0) < PAGE_SIZE;
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
    const open = openTo(mark);
    if (open !== undefined) setOpen(mark, Math.max(open, end.page));
    if (mark.phase.kind === "first-pass") noteFailure(mark, mark.phase);
    return { ...counts, left: counts.left + 1 };
  }
  // A survey that is gone for a moment looks like one without responses.
  if (!isHistoryMet(mark) && end.isEmpty && !isBelieved(ctx, 0, false)) return { ...counts, unfinished: true };
  counts.complete = end.kind === "end" && end.by !== "one look";
  if (!isClean(counts)) return counts;
  if (counts.complete) await onAll();
  if (end.steppedOver.length > 0 && !isHistoryMet(mark) && mark.floor !== undefined) mark.floor.isPartial = true;
  followHead(mark, counts.complete ? undefined : { page: Math.max(1, end.page), at: ports.clock.now() });
  return counts;
}

const deepest = ({ withNews }: Head): number => Math.max(1, ...withNews);

/** Written before anything of a walk with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(ctx: PollContext, page: number): Promise<void> {
  if (page <= (openTo(ctx.mark) ?? 0)) return;
  setOpen(ctx.mark, page);
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** A first pass that comes no further from the head is made over all pages (R9). */
function noteFailure(mark: Mark, phase: Extract<Phase, { kind: "first-pass" }>): void {
  phase.failures = (phase.failures ?? 0) + 1;
  if (phase.failures >= MOST_FAILURES) beginAllPages(mark, { page: 1 });
}

function setOpen({ phase }: Mark, page: number): void {
  if (phase.kind === "first-pass" || phase.kind === "head") phase.openTo = page;
}

/** Whether a page may be the last one of a head walk. */
function endOf(mark: Mark): (page: SurveyPage) => boolean {
  if (!isHistoryMet(mark)) return ({ belowFloor }) => belowFloor;
  // Pages of nothing but news have come on top of those that were read then, and one more for what they have moved.
  const open = openTo(mark);
  const depth = open === undefined ? 0 : open + 1;
  const known = new Set<number>();
  return ({ page, news, isKnown }) => {
    if (isKnown) known.add(page);
    return !news && known.size >= depth;
  };
}
