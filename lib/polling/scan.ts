import { backlogStart } from "./backlog-start.ts";
import { type Allowance, asNews, type PollContext } from "./context.ts";
import { readBacklog } from "./full-read.ts";
import { type FullRead, newFullRead } from "./model/books.ts";
import type { Mark } from "./model/mark.ts";
import { beginAllPages, followHead, headEnd, openTo } from "./model/mark.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf } from "./model/records.ts";
import type { Response } from "./model/response.ts";
import { lookAt, type Processed, type Shown, scanSurvey } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Page } from "./walk/page.ts";
import type { ReadEnd } from "./walk/read-pages.ts";

// A scan reads from the newest on. Four plans: the head, what a count has shown below it, a rescan, and the news above a backlog.

/** Milliseconds that a scan must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;
/** Pages that a scan reads at least in one tick, or of its budget: two of them find its place again. */
const LEAST_PAGES = 4;
/** Responses of page 1 remembered as the place where a backlog begins. */
const REMEMBERED = 20;
/** Times `headPages` that one look reads to come to that place: further down it is the backlog's. */
const FURTHEST = 3;

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the scan only because an earlier one has settled everything below. An earlier scan with news that was cut short leaves that uncertain: then
 * it reads on to the depth that the mark has recorded. A backlog deeper than `headPages` is not held in memory: a full read brings it out, oldest first.
 */
export async function scanHead(ctx: PollContext): Promise<PollCounts> {
  const { mark, ports, source } = ctx;
  const startedAt = ports.clock.now();
  const wasOpen = openTo(mark) !== undefined;
  const counts = noCounts();
  /** Pages that showed something new; and those that showed something else, of which an open head needs so many. */
  const withNews = new Set<number>();
  const known = new Set<number>();
  // Pages of nothing but news have come on top of those that were read then, and one more for what they have moved.
  const depth = (openTo(mark) ?? -1) + 1;
  const isDeep = (): boolean => withNews.size > source.headPages;
  const found: Response[] = [];
  let end: ReadEnd | undefined;
  const steps = scanSurvey(ctx, {
    from: 1,
    origin: "head",
    isEnough({ page, news, isKnown }) {
      if (news) withNews.add(page.number);
      if (isKnown) known.add(page.number);
      return (!news && known.size >= depth) || isDeep();
    },
    isTimeUp: () => ports.clock.now() > ctx.deadline,
    beforeWrites: () => openHead(ctx, Math.max(1, ...withNews)),
  });
  for await (const step of steps) {
    ({ end } = step);
    addCounts(counts, step);
    found.push(...step.toEmit);
  }
  if (end?.kind === "enough" && isDeep()) {
    const news = Math.max(end.last, openTo(mark) ?? 0);
    const isOlder = async (page: Page): Promise<boolean> => (await lookAt(ctx, page)).news;
    return asNews(ctx, async () => {
      const page = await backlogStart(ctx, news, isOlder);
      return addCounts(counts, await readBacklog(ctx, newFullRead(startedAt, { page, begun: page })));
    });
  }
  if (found.length > 0) await openHead(ctx, Math.max(1, ...withNews));
  addCounts(counts, await emitFound(ctx, found));
  if (end === undefined || end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = ctx.deadline - startedAt >= OWN_TIME;
    if (wasOpen && hadTime) beginAllPages(mark, newFullRead(startedAt));
    return { ...counts, unfinished: true };
  }
  if (end.kind === "failed") {
    // After a scan that failed the next one reads as far (R9).
    if (openTo(mark) !== undefined) setOpen(mark, Math.max(openTo(mark) ?? 0, end.last));
    return { ...counts, left: counts.left + 1 };
  }
  counts.complete = end.kind === "end" && end.seen !== "once";
  if (!isClean(counts)) return counts;
  followHead(mark, counts.complete ? undefined : { page: Math.max(1, end.last), at: ports.clock.now() });
  return counts;
}

/** Written before anything of a scan with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(ctx: PollContext, page: number): Promise<void> {
  if (page <= (openTo(ctx.mark) ?? 0)) return;
  setOpen(ctx.mark, page);
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

function setOpen({ phase }: Mark, page: number): void {
  if (phase.kind === "head") phase.openTo = page;
}

/** What came of a scan for responses that a count has shown. */
export interface Below {
  /** `complete` where it came to the end of the list. */
  counts: PollCounts;
  /** Whether all pages were read and nothing was met, by earlier polls too. */
  isVain: boolean;
}

/**
 * Looks below the head for `missing` responses that a count has shown and the head has not. It begins where the head scan has ended, and goes as far as the
 * tick's own time allows. They are news: the next poll goes on where this one stops.
 */
export async function scanBelow(ctx: PollContext, missing: number): Promise<Below> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const begun = mark.search ?? { page: headEnd(mark)?.page ?? 0, found: 0 };
  // The head scan has read every page.
  if (begun.page === 0) return { counts: { ...counts, complete: true }, isVain: true };
  let { page } = begun;
  let read = 0;
  const steps = scanSurvey(ctx, {
    from: page,
    origin: "search",
    isEnough() {
      read += 1;
      return false;
    },
    // Other surveys wait for the tick to come to its end.
    isTimeUp: () => read >= LEAST_PAGES && ports.clock.now() > ctx.streamUntil,
  });
  for await (const step of steps) {
    page = await takeStep(ctx, step, counts, page);
    // Should the next page fail, what was read is not read again.
    mark.search = { page, found: begun.found + counts.found };
    counts.complete = step.end?.kind === "end" && !step.end.isEmpty && counts.left === 0;
    if (counts.found >= missing || counts.unfinished) break;
  }
  if (counts.complete || counts.found >= missing) delete mark.search;
  return { counts, isVain: counts.complete && begun.found + counts.found === 0 };
}

/**
 * Reads below the head what no count has shown, as far as the allowance goes: 1, 2, 4, 8 pages and so on, to the end of the list, then one again (R23). It begins where
 * the head scan has ended.
 */
export async function rescan(ctx: PollContext, allowance: Allowance): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const counts = noCounts();
  const { step: depth, doneAt, place } = mark.rescan ?? { step: 0, doneAt: 0 };
  const head = headEnd(mark);
  const begun = place ?? (head && { page: head.page, startedAt: head.at });
  if (begun === undefined) {
    noteAllRead(ctx);
    return counts;
  }
  const isReached = (page: number): boolean => page >= 2 ** depth;
  const reached = { step: depth + 1, doneAt: begun.startedAt };
  if (isReached(begun.page - (place === undefined ? 0 : 1))) {
    mark.rescan = reached;
    return counts;
  }
  let { page } = begun;
  mark.rescan = { step: depth, doneAt, place: begun };
  // The next one finds what a deletion hides from this one: proofs would double its cost.
  for await (const step of scanSurvey(ctx, { from: page, origin: "rescan" })) {
    page = await takeStep(ctx, step, counts, page);
    mark.rescan = { step: depth, doneAt, place: { ...begun, page } };
    counts.complete = step.end?.kind === "end" && !step.end.isEmpty;
    const pages = step.position - begun.page;
    const isOver = pages > 0 && ports.clock.now() > ctx.deadline;
    if (counts.unfinished || isOver || isReached(step.page) || (pages >= LEAST_PAGES && allowance.left() <= 0)) break;
  }
  if (counts.complete) noteAllRead(ctx, begun.startedAt);
  else if (isReached(page) && !counts.unfinished) mark.rescan = reached;
  return counts;
}

/** All pages were read from `at` on (epoch milliseconds): rescans begin with one page again. */
export function noteAllRead({ mark, ports }: Pick<PollContext, "mark" | "ports">, at = ports.clock.now()): void {
  mark.rescan = { step: 0, doneAt: at };
}

/** Emits what a step has found, and gives the page at which a later scan goes on. */
async function takeStep(ctx: PollContext, step: Processed, counts: PollCounts, page: number): Promise<number> {
  addCounts(counts, await emitFound(ctx, step.toEmit));
  addCounts(counts, step);
  return isClean(counts) ? step.position : page;
}

/**
 * News at the head of a survey whose backlog is read: they do not wait for it. The first look only remembers where the backlog begins. One look takes `headPages`
 * pages of news. Where there are more, the next one goes on below them: only a look that has come to that place remembers it anew. The backlog meets all of it again,
 * so nothing is lost.
 */
export async function scanAbove(ctx: PollContext, backlog: FullRead): Promise<PollCounts> {
  const counts = noCounts();
  const { headPages } = ctx.source;
  const before = new Set(backlog.head);
  /** Responses above the backlog, and whether the scan has come to it. */
  const above = new Set<number>();
  let hasCome = false;
  let first: number[] = [];
  const withNews = new Set<number>();
  const isEnough = ({ page, news }: Shown): boolean => {
    const ids = page.runs.map(({ responseId }) => responseId);
    // An open one moves when it completes.
    const still = page.runs.filter((run) => classOf(run) !== "open").map(({ responseId }) => responseId);
    if (page.number === 1) first = still.slice(0, REMEMBERED);
    const place = ids.findLastIndex((id) => before.has(id));
    for (const id of place < 0 ? ids : ids.slice(0, place)) if (!before.has(id)) above.add(id);
    // Of the last page read.
    hasCome = before.size === 0 || place >= 0;
    if (news) withNews.add(page.number);
    return hasCome || page.number >= FURTHEST * headPages || withNews.size >= headPages;
  };
  const found: Response[] = [];
  for await (const step of scanSurvey(ctx, {
    from: 1,
    origin: "head",
    isEnough,
    isTimeUp: () => ctx.ports.clock.now() > ctx.deadline,
  })) {
    addCounts(counts, step);
    found.push(...step.toEmit);
  }
  // The first look only remembers.
  if (before.size > 0) {
    const fresh = found.filter(({ responseId }) => above.has(responseId));
    addCounts(counts, await emitFound(ctx, fresh));
  }
  // The next look comes to what lies below, and to what stands across the end of the last page.
  if (hasCome && !counts.unfinished && first.length > 0) backlog.head = first;
  return counts;
}
