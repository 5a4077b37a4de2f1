import { backlogStart } from "./backlog-start.ts";
import { readBacklog } from "./full-read.ts";
import { type FullRead, newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf } from "./model/records.ts";
import type { Response } from "./model/response.ts";
import { headEnd, openTo } from "./model/survey-state.ts";
import { hasNews, type Processed, type Seen, scanSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";
import type { Page } from "./walk/page.ts";

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
 * it reads on to the depth that the state has recorded. A backlog deeper than `headPages` is not held in memory: a full read brings it out, oldest first.
 */
export async function scanHead(survey: Survey): Promise<PollCounts> {
  const { ports, source, deadline } = survey;
  const startedAt = ports.clock.now();
  const openBefore = openTo(survey.state);
  const counts = noCounts();
  // Pages of nothing but news have come on top of those that were read then, and one more for what they have moved.
  const depth = (openBefore ?? -1) + 1;
  const isDeep = ({ withNews }: Seen): boolean => withNews.size > source.headPages;
  const found: Response[] = [];
  let last: Processed | undefined;
  for await (const step of scanSurvey(survey, {
    from: 1,
    origin: "head",
    isEnough: ({ number }, seen) => (!seen.withNews.has(number) && seen.withKnown.size >= depth) || isDeep(seen),
    isTimeUp: () => ports.clock.now() > deadline,
  })) {
    if (step.entries.length > 0) await openHead(survey, step.seen);
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
    last = step;
  }
  const end = last?.end;
  if (last !== undefined && end?.kind === "enough" && isDeep(last.seen)) {
    const free = survey.paidBy(undefined);
    const news = Math.max(end.last, openTo(survey.state) ?? 0);
    const page = await backlogStart(free, news, (one) => hasNews(free, one));
    return addCounts(counts, await readBacklog(free, newFullRead(startedAt, { page, begun: page })));
  }
  if (last !== undefined && found.length > 0) await openHead(survey, last.seen);
  addCounts(counts, await emitFound(survey, found));
  if (end === undefined || end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = deadline - startedAt >= OWN_TIME;
    if (openBefore !== undefined && hadTime)
      survey.note({ kind: "reading", purpose: "backlog", read: newFullRead(startedAt) });
    return { ...counts, unfinished: true };
  }
  const open = openTo(survey.state);
  if (end.kind === "failed") {
    // After a scan that failed the next one reads as far (R9).
    if (open !== undefined) survey.note({ kind: "head open", page: Math.max(open, end.last) });
    return { ...counts, left: counts.left + 1 };
  }
  if (!isClean(counts)) return counts;
  const isAll = end.kind === "end" && end.seen !== "once";
  const place = { page: Math.max(1, end.last), at: ports.clock.now() };
  survey.note({ kind: "head scanned", end: isAll ? undefined : place });
  return counts;
}

/** Written before anything of a scan with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(survey: Survey, { withNews }: Seen): Promise<void> {
  const page = Math.max(1, ...withNews);
  if (page <= (openTo(survey.state) ?? 0)) return;
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
  const begun = search ?? { page: headEnd(survey.state)?.page ?? 0, found: 0 };
  // The head scan has read every page.
  if (begun.page === 0) return { counts, isVain: true };
  const met = search === undefined ? 0 : search.found + grown;
  let { page } = begun;
  let isAtEnd = false;
  for await (const step of scanSurvey(survey, {
    from: page,
    origin: "search",
    // Other surveys wait for the tick to come to its end.
    isTimeUp: ({ pages }) => pages.size >= LEAST_PAGES && ports.clock.now() > turnUntil,
  })) {
    page = await takeStep(survey, step, counts, page);
    // Should the next page fail, what was read is not read again.
    survey.note({ kind: "searching", place: { page, found: met + counts.found } });
    isAtEnd = step.end?.kind === "end" && !step.end.isEmpty && counts.left === 0;
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
  let { page } = begun;
  if (isReached(page - (place === undefined ? 0 : 1))) {
    survey.note({ kind: "rescan", rescan: reached });
    return counts;
  }
  let isAtEnd = false;
  survey.note({ kind: "rescan", rescan: { step: depth, doneAt, place: begun } });
  // The next one finds what a deletion hides from this one: proofs would double its cost.
  for await (const step of scanSurvey(survey, { from: page, origin: "rescan" })) {
    page = await takeStep(survey, step, counts, page);
    survey.note({ kind: "rescan", rescan: { step: depth, doneAt, place: { ...begun, page } } });
    isAtEnd = step.end?.kind === "end" && !step.end.isEmpty;
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

/** Emits what a step has found, and gives the page at which a later scan goes on. */
async function takeStep(survey: Survey, step: Processed, counts: PollCounts, page: number): Promise<number> {
  await writeNoted(survey, step);
  addCounts(counts, await emitFound(survey, step.toEmit));
  addCounts(counts, step);
  return isClean(counts) ? step.position : page;
}

/**
 * News at the head of a survey whose backlog is read: they do not wait for it. The first look only remembers where the backlog begins. One look takes `headPages`
 * pages of news. Where there are more, the next one goes on below them: only a look that has come to that place remembers it anew. The backlog meets all of it again,
 * so nothing is lost. No page is begun after `until` (epoch milliseconds).
 */
export async function scanAbove(survey: Survey, backlog: FullRead, until: number): Promise<PollCounts> {
  const { headPages } = survey.source;
  const counts = noCounts();
  const before = new Set(backlog.head);
  const placeOn = ({ runs }: Page): number => runs.findLastIndex(({ responseId }) => before.has(responseId));
  const hasCome = (page: Page): boolean => before.size === 0 || placeOn(page) >= 0;
  const found: Response[] = [];
  /** Responses above the backlog. */
  const above = new Set<number>();
  let first: number[] = [];
  let lastPage: Page | undefined;
  for await (const step of scanSurvey(survey, {
    from: 1,
    origin: "head",
    isEnough: (page, { withNews }) =>
      hasCome(page) || page.number >= FURTHEST * headPages || withNews.size >= headPages,
    isTimeUp: () => survey.ports.clock.now() > until,
  })) {
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
    if (step.page === undefined) continue;
    const { number, runs } = step.page;
    const place = placeOn(step.page);
    for (const { responseId } of place < 0 ? runs : runs.slice(0, place))
      if (!before.has(responseId)) above.add(responseId);
    // An open one moves when it completes.
    const still = runs.filter((run) => classOf(run) !== "open").map(({ responseId }) => responseId);
    if (number === 1) first = still.slice(0, REMEMBERED);
    lastPage = step.page;
  }
  // The first look only remembers.
  if (before.size > 0) {
    const fresh = found.filter(({ responseId }) => above.has(responseId));
    addCounts(counts, await emitFound(survey, fresh));
  }
  // The next look comes to what lies below, and to what stands across the end of the last page.
  if (lastPage !== undefined && hasCome(lastPage) && !counts.unfinished && first.length > 0)
    survey.note({ kind: "reading", purpose: "backlog", read: { ...backlog, head: first } });
  return counts;
}
