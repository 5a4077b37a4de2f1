import type { HintPoll } from "./hints.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { headEnd } from "./model/survey-state.ts";
import { type Processed, readSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";

// Scans below the head look for what has completed late: by a count that has moved, or in rescans. What they find goes out page after page.

/** Pages that a scan below the head reads at least in one tick, or of its budget: two of them find its place again. */
const LEAST_PAGES = 4;

export interface Below {
  counts: PollCounts;
  /** In vain: all pages were read and nothing was met, by earlier polls too, while no count has moved. */
  outcome: HintPoll["below"];
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
  if (from === undefined) return { counts, outcome: "vain" };
  const met = search === undefined ? 0 : search.found + grown;
  const before = survey.found;
  let found = 0;
  let page = from;
  let isAtEnd = false;
  // Other surveys wait for the tick to come to its end.
  const isOver = (read: number): boolean => read >= from + LEAST_PAGES - 1 && ports.clock.now() > turnUntil;
  for await (const step of readSurvey(survey, { from, origin: "search", isOver })) {
    page = await takeStep(survey, step, counts, page);
    found = survey.found - before;
    // Should the next page fail, what was read is not read again.
    survey.note({ kind: "searching", place: { page, found: met + found } });
    isAtEnd = hasReadAll(step) && counts.left === 0;
    if (found >= missing || counts.unfinished) break;
  }
  if (isAtEnd || found >= missing) survey.note({ kind: "searched" });
  return { counts, outcome: found > 0 ? "found" : isAtEnd && met === 0 ? "vain" : undefined };
}

/**
 * Reads below the head what no count has shown, as far as the budget goes: 1, 2, 4, 8 pages and so on, to the end of the list, then one again (R23). It begins where
 * the head scan has ended.
 */
export async function rescan(survey: Survey): Promise<PollCounts> {
  const { ports, budget, turnUntil, state } = survey;
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
    const isOver = pages > 0 && ports.clock.now() > turnUntil;
    const isPaid = budget === undefined || budget.left > 0;
    if (counts.unfinished || isOver || isReached(page) || (pages >= LEAST_PAGES && !isPaid)) break;
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

/** Gives the page at which a later scan goes on. */
async function takeStep(survey: Survey, step: Processed, counts: PollCounts, page: number): Promise<number> {
  await writeNoted(survey, step);
  addCounts(counts, await emitFound(survey, step.toEmit));
  addCounts(counts, step);
  return isClean(counts) ? step.position : page;
}
