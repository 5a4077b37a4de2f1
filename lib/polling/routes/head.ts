import { closeBooks } from "../books/books.ts";
import { createPassIds, type PassIds } from "../books/pass-ids.ts";
import { asNews, type PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { Mark } from "../model/mark.ts";
import { beginAllPages, followHead, openTo } from "../model/phase.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";
import { type Page, toPage } from "../walk/page.ts";
import type { WalkEnd } from "../walk/walk.ts";
import { backlogStart } from "./backlog-start.ts";
import { catchUp } from "./catch-up.ts";
import { lookAt, type SurveyPage, surveyWalk } from "./survey-walk.ts";

/** The pages that a head walk reads. */
const HEAD = { order: "desc", from: 1, proves: "contents" } as const;

/** Milliseconds that a walk must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/** Responses that are listed no more, beyond which full passes alone close the books: the whole ledger is read for that. */
const MOST_GONE = 1_000;

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the walk only because an earlier one has settled everything below. An earlier walk with news that was cut short leaves that uncertain: then
 * it reads on to the depth that the mark has recorded. A backlog deeper than `headPages` is not held in
 * memory: it is caught up, oldest first.
 */
export async function headWalk(ctx: PollContext): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const startedAt = ports.clock.now();
  const wasOpen = openTo(mark) !== undefined;
  const counts = noCounts();
  const ids = createPassIds();
  const isEnough = endOf(mark);
  /** Pages that showed something new. */
  const withNews = new Set<number>();
  const isDeep = (): boolean => withNews.size > ctx.source.headPages;
  const toEmit: Found[] = [];
  let end: WalkEnd | undefined;
  const steps = surveyWalk(ctx, {
    ...HEAD,
    ids,
    isEnough: (shown) => {
      const { page, news } = shown;
      if (news) withNews.add(page.number);
      return isEnough(shown) || isDeep();
    },
    isTimeUp: () => ports.clock.now() > ctx.deadline,
    beforeWrites: () => openHead(ctx, Math.max(1, ...withNews)),
  });
  for await (const step of steps) {
    ({ end } = step);
    addCounts(counts, step);
    toEmit.push(...step.toEmit);
  }
  if (end?.kind === "enough" && isDeep()) {
    const news = Math.max(end.last, openTo(mark) ?? 0);
    const isOlder = async (page: Page): Promise<boolean> => (await lookAt(ctx, page, HEAD)).news;
    const caughtUp = asNews(ctx, async () => catchUp(ctx, { page: await backlogStart(ctx, news, isOlder) }));
    return addCounts(counts, await caughtUp);
  }
  if (toEmit.length > 0) await openHead(ctx, Math.max(1, ...withNews));
  addCounts(counts, await emitFound(ctx, toEmit, "head"));
  if (end === undefined || end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = ctx.deadline - startedAt >= OWN_TIME;
    if (wasOpen && hadTime) beginAllPages(mark, { page: 1 });
    return { ...counts, unfinished: true };
  }
  if (end.kind === "failed") {
    noteFailure(mark, end.last);
    return { ...counts, left: counts.left + 1 };
  }
  counts.complete = end.kind === "end" && end.by !== "one look";
  if (!isClean(counts)) return counts;
  if (counts.complete) await closeOnePage(ctx, { ids, startedAt, end, counts });
  followHead(mark, counts.complete ? undefined : { page: Math.max(1, end.last), at: ports.clock.now() });
  return counts;
}

interface HeadRead {
  ids: PassIds;
  startedAt: number;
  end: WalkEnd;
  counts: PollCounts;
}

/** Closes the books of a list of one page: that is read at one moment, and nothing can have slipped through (R29). */
async function closeOnePage(ctx: PollContext, { ids, startedAt, end, counts }: HeadRead): Promise<void> {
  const { mark, listedCount = Number.POSITIVE_INFINITY } = ctx;
  const { deficit, gone = 0, listed } = mark.books ?? {};
  if (end.last !== 1 || end.moved || end.steppedOver.length > 0) return;
  // A glitch may hide what lies behind the page, which the count tells.
  if (ids.all.size < listedCount - (deficit ?? 0) || gone > MOST_GONE) return;
  const isNews = counts.found + counts.repaired > 0 || ids.all.size !== listed || mark.booksOpen !== undefined;
  if (!isNews || !(await endsThere(ctx, end))) return;
  await closeBooks(ctx, { ids, startedAt, moved: false, changed: 0, repaired: counts.repaired, found: 0 });
}

/** Whether nothing stands behind a list of one page. Where its length alone has said so it is looked at, as full passes do (R8). */
async function endsThere(ctx: PollContext, end: WalkEnd): Promise<boolean> {
  const by = end.kind === "end" ? end.by : undefined;
  // fault: unseen-end-closes-books
  if (by !== "short page") return true;
  try {
    // A page there may have come since: it does not contradict that short pages are the last ones.
    return toPage(2, await ctx.ports.service.page(ctx.surveyId, 2, "desc")) === undefined;
  } catch (error) {
    if (endsWork(error)) throw error;
    return false;
  }
}

/** Written before anything of a walk with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(ctx: PollContext, page: number): Promise<void> {
  if (page <= (openTo(ctx.mark) ?? 0)) return;
  setOpen(ctx.mark, page);
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** After a walk that failed the next one reads as far (R9). */
function noteFailure(mark: Mark, last: number): void {
  const open = openTo(mark);
  if (open !== undefined) setOpen(mark, Math.max(open, last));
}

function setOpen({ phase }: Mark, page: number): void {
  if (phase.kind === "head") phase.openTo = page;
}

/** Whether a page may be the last one of a head walk. */
function endOf(mark: Mark): (shown: SurveyPage) => boolean {
  // Pages of nothing but news have come on top of those that were read then, and one more for what they have moved.
  const open = openTo(mark);
  const depth = open === undefined ? 0 : open + 1;
  const known = new Set<number>();
  return ({ page, news, isKnown }) => {
    if (isKnown) known.add(page.number);
    return !news && known.size >= depth;
  };
}
