import type { Origin } from "../events/index.ts";
import { leaveToBacklog } from "./begin-backlog.ts";
import { type FullRead, newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import type { Response } from "./model/response.ts";
import { headEnd, openTo } from "./model/survey-state.ts";
import { type Processed, type ReadingOptions, readSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";
import type { ReadEnd } from "./walk/read-pages.ts";

// Scans read from the newest on. At the head all that is found goes out together, the oldest first; below it page after page.

/** Milliseconds that a scan of the head must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;
/** Pages that a scan below the head reads at least in one tick, or of its budget: two of them find its place again. */
const LEAST_PAGES = 4;

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
  const { counts, found, withNews, end } = await gather(
    survey,
    (page, news) => isKnown(page, news) || isDeep(news) || ports.clock.now() > deadline,
  );
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

/**
 * News at the head of a survey whose backlog is read: they do not wait for it. The first look finds the newest of the backlog itself, and its events say so. One look
 * takes `headPages` pages, and begins none after `until` (epoch milliseconds). The backlog meets all of it again, so nothing is lost.
 */
export async function scanAbove(survey: Survey, backlog: FullRead, until: number): Promise<PollCounts> {
  const { ports, source } = survey;
  const { counts, found } = await gather(
    survey,
    (page, news) => !news.has(page) || news.size >= source.headPages || ports.clock.now() > until,
    backlog.headRead ? "head" : "backlog",
  );
  addCounts(counts, await emitFound(survey, found));
  if (isClean(counts)) survey.note({ kind: "reading", purpose: "backlog", read: { ...backlog, headRead: true } });
  return counts;
}

type Pages = ReadonlySet<number>;

/** Reads from page 1 on, and notes what needs no event. What needs one has yet to go out. */
async function gather(
  survey: Survey,
  isOver: NonNullable<ReadingOptions["isOver"]>,
  origin: Origin = "head",
): Promise<{ counts: PollCounts; found: Response[]; withNews: Pages; end: ReadEnd }> {
  const counts = noCounts();
  const found: Response[] = [];
  for await (const step of readSurvey(survey, { from: 1, origin, isOver })) {
    const { entries, toEmit, withNews, end } = step;
    if (entries.length > 0) await openHead(survey, withNews);
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...toEmit);
    if (end !== undefined) return { counts, found, withNews, end };
  }
  throw new TypeError("a read has no end");
}

/** Written before anything of a scan with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(survey: Survey, withNews: Pages): Promise<void> {
  const page = Math.max(1, ...withNews);
  if (survey.state.phase.kind !== "head" || page <= (openTo(survey.state) ?? 0)) return;
  survey.note({ kind: "head open", page });
  await survey.save();
}

/** What came of a scan for responses that a count has shown. */
export interface Below {
  counts: PollCounts;
  /** Whether all pages were read and nothing was met, by earlier polls too, while no count has moved. */
  isVain: boolean;
}

/**
 * Looks below the head for `missing` responses that a count has shown and the head has not. It begins where the head scan has ended, and goes as far as the
 * tick's own time allows. They are news: the next poll goes on where this one stops. What has `grown` since the last poll may lie above that place.
 */
export async function scanBelow(survey: Survey, missing: number, grown: number): Promise<Below> {
  const { ports, turnUntil } = survey;
  const counts = noCounts();
  const { search } = survey.state;
  const from = search?.page ?? headEnd(survey.state)?.page;
  // The head scan has read every page.
  if (from === undefined) return { counts, isVain: true };
  const met = search === undefined ? 0 : search.found + grown;
  let page = from;
  let isAtEnd = false;
  // Other surveys wait for the tick to come to its end.
  const isOver = (read: number): boolean => read >= from + LEAST_PAGES - 1 && ports.clock.now() > turnUntil;
  for await (const step of readSurvey(survey, { from, origin: "search", isOver })) {
    page = await takeStep(survey, step, counts, page);
    // Should the next page fail, what was read is not read again.
    survey.note({ kind: "searching", place: { page, found: met + counts.found } });
    isAtEnd = hasReadAll(step) && counts.left === 0;
    if (counts.found >= missing || counts.unfinished) break;
  }
  if (isAtEnd || counts.found >= missing) survey.note({ kind: "searched" });
  return { counts, isVain: isAtEnd && met + counts.found === 0 };
}

/**
 * Reads below the head what no count has shown, as far as the budget goes: 1, 2, 4, 8 pages and so on, to the end of the list, then one again (R23). It begins where
 * the head scan has ended.
 */
export async function rescan(survey: Survey): Promise<PollCounts> {
  const { ports, budget, deadline, state } = survey;
  const counts = noCounts();
  const { step: depth, doneAt, place } = state.rescan ?? { step: 0, doneAt: 0 };
  const head = headEnd(state);
  const begun = place ?? (head && { page: head.page, startedAt: head.at });
  if (begun === undefined) {
    noteAllRead(survey);
    return counts;
  }
  const isReached = (page: number): boolean => page >= 2 ** depth;
  const reached = { step: depth + 1, doneAt: begun.startedAt };
  // The head scan has read as far.
  if (place === undefined && isReached(begun.page)) {
    survey.note({ kind: "rescan", rescan: reached });
    return counts;
  }
  let { page } = begun;
  let isAtEnd = false;
  survey.note({ kind: "rescan", rescan: { step: depth, doneAt, place: begun } });
  // The next one finds what a deletion hides from this one: proofs would double its cost.
  for await (const step of readSurvey(survey, { from: page, origin: "rescan" })) {
    page = await takeStep(survey, step, counts, page);
    survey.note({ kind: "rescan", rescan: { step: depth, doneAt, place: { ...begun, page } } });
    isAtEnd = hasReadAll(step);
    const pages = step.position - begun.page;
    const isOver = pages > 0 && ports.clock.now() > deadline;
    const isPaid = budget === undefined || budget.left > 0;
    const read = step.page?.number ?? step.end?.last ?? 0;
    if (counts.unfinished || isOver || isReached(read) || (pages >= LEAST_PAGES && !isPaid)) break;
  }
  if (isAtEnd) noteAllRead(survey, begun.startedAt);
  else if (isReached(page) && !counts.unfinished) survey.note({ kind: "rescan", rescan: reached });
  return counts;
}

/** All pages were read from `at` on (epoch milliseconds): rescans begin with one page again. */
export function noteAllRead(survey: Survey, at = survey.ports.clock.now()): void {
  survey.note({ kind: "rescan", rescan: { step: 0, doneAt: at } });
}

function hasReadAll({ end }: Processed): boolean {
  return end?.kind === "end" && !end.isEmpty;
}

/** Emits what a step has found, and gives the page at which a later scan goes on. */
async function takeStep(survey: Survey, step: Processed, counts: PollCounts, page: number): Promise<number> {
  await writeNoted(survey, step);
  addCounts(counts, await emitFound(survey, step.toEmit));
  addCounts(counts, step);
  return isClean(counts) ? step.position : page;
}
