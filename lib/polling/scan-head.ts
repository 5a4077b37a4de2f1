import { endsWork } from "./errors.ts";
import { readBacklog } from "./full-read.ts";
import { type FullRead, newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf } from "./model/records.ts";
import type { Response } from "./model/response.ts";
import { openTo } from "./model/survey-state.ts";
import { hasNews, readSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";
import { type Page, toPage } from "./walk/page.ts";
import type { ReadEnd } from "./walk/read-pages.ts";

// Scans of the head read from page 1, the newest, on. All that they find goes out together, the oldest first.

/** Milliseconds that a scan of the head must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found.
 *
 * That one page may end the scan only because an earlier one has settled everything below. An earlier scan with news that was cut short leaves that uncertain: then
 * it reads on to the depth that the state has recorded. A backlog deeper than `headPages` is not held in memory: a full read brings it out, oldest first.
 */
export async function scanHead(survey: Survey): Promise<PollCounts> {
  const { ports, source, deadline } = survey;
  const startedAt = ports.clock.now();
  const openBefore = openTo(survey.state);
  // Pages of news have come on top of those that were read then, and one more for what they have moved.
  const depth = openBefore === undefined ? 0 : openBefore + 1;
  const isKnown = (page: number, news: Pages): boolean => !news.has(page) && page - news.size >= depth;
  const isDeep = (news: Pages): boolean => news.size > source.headPages;
  const isOver = (page: number, news: Pages): boolean =>
    isKnown(page, news) || isDeep(news) || ports.clock.now() > deadline;
  const counts = noCounts();
  const found: Response[] = [];
  let withNews: Pages = new Set();
  let end: ReadEnd | undefined;
  for await (const step of readSurvey(survey, { from: 1, origin: "head", isOver })) {
    ({ withNews, end } = step);
    if (step.entries.length > 0) await openHead(survey, withNews);
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
  }
  if (end === undefined) throw new Error("a read has no end");
  if (end.kind === "over" && isDeep(withNews))
    return addCounts(counts, await leaveToBacklog(survey.paidBy(undefined), startedAt));
  if (found.length > 0) await openHead(survey, withNews);
  addCounts(counts, await emitFound(survey, found));
  if (end.kind === "over" && !isKnown(end.last, withNews)) {
    counts.unfinished = true;
    // The next one would begin at page 1 again, and come no further.
    if (openBefore !== undefined && deadline - startedAt >= OWN_TIME)
      survey.note({ kind: "reading", purpose: "backlog", read: newFullRead(startedAt) });
  } else if (end.kind === "failed") {
    counts.left += 1;
    // After a scan that failed the next one reads as far (R9).
    const open = openTo(survey.state);
    if (open !== undefined) survey.note({ kind: "head open", page: Math.max(open, end.last) });
  } else if (isClean(counts)) {
    const isAll = end.kind === "end" && end.seen !== "once";
    const place = { page: Math.max(1, end.last), at: ports.clock.now() };
    survey.note({ kind: "head scanned", end: isAll ? undefined : place });
  }
  return counts;
}

/** Written before anything of a scan with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(survey: Survey, withNews: Pages): Promise<void> {
  const page = Math.max(1, ...withNews);
  if (survey.state.phase.kind !== "head" || page <= (openTo(survey.state) ?? 0)) return;
  survey.note({ kind: "head open", page });
  await survey.save();
}

/** Pages before the oldest news at which a backlog begins: deletions meanwhile have moved it. */
const MARGIN = 2;

export const BEYOND = 1_000_000;

async function leaveToBacklog(survey: Survey, startedAt: number): Promise<PollCounts> {
  const page = await backlogStart(survey);
  return readBacklog(survey, newFullRead(startedAt, { page, begun: page }));
}

/** The page, counted from the oldest, at which a backlog is to be read. It is found in about 2 log2 requests. From the very first page nothing can be missed. */
async function backlogStart(survey: Survey): Promise<number> {
  /** Undefined where there is no such page, or it fails. Then the backlog begins further up, and nothing is missed. */
  const pageAt = async (number: number): Promise<Page | undefined> => {
    try {
      return toPage(number, await survey.page(number, "asc"));
    } catch (error) {
      if (endsWork(error)) throw error;
      return undefined;
    }
  };
  const first = await pageAt(1);
  if (first === undefined || (await hasNews(survey, first))) return 1;
  const last = await lastOf(1, async (number) => {
    const page = await pageAt(number);
    // Some services show page 1 again behind their last one.
    return page !== undefined && page.signature !== first.signature && !(await hasNews(survey, page));
  });
  return last === undefined ? 1 : Math.max(1, last + 1 - MARGIN);
}

/** The last number for which something holds, from a known one on, by doubling and halving; undefined where it holds for any. */
export async function lastOf(known: number, holds: (number: number) => Promise<boolean>): Promise<number | undefined> {
  let low = known;
  let high = known * 2;
  for (; await holds(high); high *= 2) {
    if (high > BEYOND) return undefined;
    low = high;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Responses of page 1 remembered as the place where a backlog begins. */
const REMEMBERED = 20;
/** Times `headPages` that one look reads to come to that place: further down it is the backlog's. */
const FURTHEST = 3;

/**
 * News at the head of a survey whose backlog is read: they do not wait for it. The first look only remembers where the backlog begins. A later one reads down to that
 * place, but `headPages` pages of news at most, and begins no page after `until` (epoch milliseconds). Only a look that has come to the place remembers it anew, so the
 * next one finds what was left. The backlog meets all of it again, so nothing is lost.
 */
export async function scanAbove(survey: Survey, backlog: FullRead, until: number): Promise<PollCounts> {
  const { headPages } = survey.source;
  const before = new Set(backlog.head);
  const counts = noCounts();
  const above = new Set<number>();
  const found: Response[] = [];
  let first: number[] = [];
  /** The page that shows the place. */
  let place = before.size === 0 ? 1 : Number.POSITIVE_INFINITY;
  /** Whether all above the place was given out: what stands across the end of a page is, once the next one was read beside it. Page 1 alone is given out whole. */
  const isPast = (page: number): boolean => page > place || (page === 1 && place === 1);
  let hasPassed = false;
  const isOver = (page: number, { size }: Pages): boolean =>
    isPast(page) || page >= FURTHEST * headPages || size >= headPages || survey.ports.clock.now() > until;
  for await (const step of readSurvey(survey, { from: 1, origin: "head", isOver })) {
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
    if (step.page === undefined) continue;
    const { number, runs } = step.page;
    const at = runs.findLastIndex(({ responseId }) => before.has(responseId));
    if (at >= 0) place = Math.min(place, number);
    hasPassed = isPast(number);
    if (number <= place) for (const { responseId } of at < 0 ? runs : runs.slice(0, at)) above.add(responseId);
    // An open one moves when it completes.
    const still = runs.filter((run) => classOf(run) !== "open").map(({ responseId }) => responseId);
    if (number === 1) first = still.slice(0, REMEMBERED);
  }
  const news = found.filter(({ responseId }) => above.has(responseId) && !before.has(responseId));
  if (before.size > 0) addCounts(counts, await emitFound(survey, news));
  if (hasPassed && isClean(counts) && first.length > 0)
    survey.note({ kind: "reading", purpose: "backlog", read: { ...backlog, head: first } });
  return counts;
}

type Pages = ReadonlySet<number>;
