import { closeBooks, leaveOpen } from "./books.ts";
import { endsWork } from "./errors.ts";
import { holdLease } from "./lease.ts";
import { type BooksOpen, type FullRead, newFullRead } from "./model/books.ts";
import type { LedgerEntry } from "./model/ledger-entry.ts";
import { addCounts, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { type Purpose, placeOf } from "./model/survey-state.ts";
import type { Order } from "./ports.ts";
import { readSurvey, writeNoted } from "./process-page.ts";
import { Publishing } from "./publish/publish.ts";
import { dropIds, keepIds, loadIds, ReadIds } from "./read-ids.ts";
import type { Survey } from "./survey.ts";
import { toPage } from "./walk/page.ts";
import type { EndOfList, ReadEnd } from "./walk/read-pages.ts";

// A full read meets all pages from the oldest on, in parts (R7, R25, R29). A backlog brings out what is behind; a read for the books finds what scans have missed. Both
// close the books at their end.

/** Responses on the way to the bus, at most, for each request that may be in flight; and at least so many, that batches are full where few may be. */
const ON_THE_WAY = 3;
const LEAST_ON_THE_WAY = 40;
/** Pages that are processed before their turn: one window. With more of them an import takes more memory, and no less time. */
const PAGES_AHEAD = 12;
/** Milliseconds after which its place is saved, should it not come to its end: what a crash costs is read again. */
const SAVED_EVERY = 60_000;
/** Parts in a row that have come no further, after which a read ends without its books. */
const MOST_FAILURES = 10;
/** Pages that a part reads at least, whatever the budget: two or three find its place again. */
const LEAST_PAGES = 4;
/** Pages that a part may go back for its anchor, and has to come beyond its place all the same. */
const NEAR = 8;

/** One part of a backlog. It reads on until the survey's turn is over. */
export async function readBacklog(survey: Survey, read: FullRead): Promise<PollCounts> {
  // What a backlog of all pages reads now is more than an older read for the books has met.
  if (read.begun === 1 && survey.state.pass !== undefined) await dropBooksRead(survey);
  survey.note({ kind: "reading", purpose: "backlog", read });
  await survey.save();
  const counts = await readPart(survey.asBacklog(), read, "backlog");
  // fault: slice-ends-backlog
  if (placeOf(survey.state) !== undefined) counts.unfinished = true;
  // Without books of its own a survey is read for them at once.
  else if (survey.state.books === undefined) survey.note({ kind: "full read due", at: survey.ports.clock.now() });
  return counts;
}

/** One part of a read for the books, as far as the budget goes. It finds what every scan has missed. */
export function readForBooks(survey: Survey): Promise<PollCounts> {
  const read = survey.state.pass ?? newFullRead(survey.ports.clock.now());
  // From its very beginning the state shows that it is under way.
  survey.note({ kind: "reading", purpose: "books", read });
  return readPart(survey, read, "books");
}

export async function dropBooksRead(survey: Survey): Promise<void> {
  const { pass } = survey.state;
  survey.note({ kind: "read", purpose: "books" });
  await dropIds(survey, pass?.ids);
}

/** Reads on from a place, which is raised as pages are done with, and does what is to be done at the end of the list. */
async function readPart(survey: Survey, begun: FullRead, purpose: Purpose): Promise<PollCounts> {
  const { ports, source, turnUntil, budget = { left: Number.POSITIVE_INFINITY } } = survey;
  const { clock } = ports;
  const isBacklog = purpose === "backlog";
  const known = await loadIds(survey, begun.ids);
  const ids = known ?? new ReadIds();
  // Without the ids that belong to its place it begins again.
  const { backfill, head } = begun;
  const start = known === undefined ? newFullRead(clock.now(), { backfill, head }) : begun;
  const steps = readSurvey(survey, {
    // The page before its place is its anchor (R7).
    from: start.page > start.begun ? start.page - 1 : start.page,
    origin: isBacklog ? "backlog" : "full-read",
    ids,
    mostAtOnce: isBacklog ? undefined : () => Math.max(1, Math.floor(budget.left / 2)),
  });
  /** `pages`: by how many it has come beyond its place. One it comes further in any case. */
  const isOver = (pages: number): boolean =>
    clock.now() > turnUntil || (!isBacklog && pages >= LEAST_PAGES && budget.left <= 0);
  const publishing = new Publishing(survey, Math.max(LEAST_ON_THE_WAY, ON_THE_WAY * source.concurrency));
  const counts = noCounts();
  let read = start;
  let savedAt = clock.now();
  const foundBefore = survey.found;
  /** The page beyond which it has come further: its place, or where it had to go back to. */
  let goal: number | undefined;
  let end: ReadEnd | undefined;
  /** Writes the place up to which all has gone out, and the ids that were met up to there. */
  const keepPlace = async (): Promise<void> => {
    savedAt = clock.now();
    const unreplaced = start.unreplaced || publishing.counts.unreplaced > 0;
    read = { ...read, found: start.found + survey.found - foundBefore, unreplaced };
    const page = Math.max(1, publishing.settledTo() ?? start.page);
    const kept = await survey.orLeave(() => keepIds(survey, ids, "read", page));
    // A place and its ids are one (R7): without them the read goes on at the place of before.
    if (kept === undefined) return;
    const before = read.ids;
    // An earlier failure says nothing of a read that has come further since.
    read = { ...read, page, ids: kept, failures: page > start.page ? 0 : read.failures };
    survey.note({ kind: "reading", purpose, read });
    await survey.save();
    await dropIds(survey, before);
  };
  try {
    for await (const step of isBacklog ? readAhead(steps, PAGES_AHEAD) : steps) {
      await writeNoted(survey, step);
      addCounts(counts, step);
      read = {
        ...read,
        // fault: left-out-forgotten
        covered: read.covered && step.covered,
        skipped: [...new Set([...read.skipped, ...step.skipped])],
        changed: read.changed + step.changed,
      };
      await publishing.take(step.toEmit, step.position, step.left);
      ids.settle(publishing.settledTo() ?? 0);
      await holdLease(survey);
      if (clock.now() >= savedAt + SAVED_EVERY) await keepPlace();
      ({ end } = step);
      goal ??= step.position < start.page - NEAR ? step.position + 1 : start.page;
      // fault: slice-stops-at-once
      if (step.position > goal && isOver(step.position - goal)) break;
    }
  } finally {
    // Whatever failed, responses on their way come to their end, and count.
    try {
      const sent = await publishing.end();
      addCounts(counts, sent);
      read = { ...read, repaired: read.repaired + sent.repaired };
    } finally {
      await keepPlace();
    }
  }
  if (end !== undefined && counts.left === 0) await finish(survey, read, ids, end, purpose);
  return counts;
}

/** Closes the books, or says why they stay open. A read is forgotten last: a failure at its end makes only that end be done again. */
async function finish(survey: Survey, read: FullRead, ids: ReadIds, end: ReadEnd, purpose: Purpose): Promise<void> {
  const now = survey.ports.clock.now();
  const { why, goesOn = false } = await whyOpen(survey, read, ids, end);
  if (goesOn && why !== "closed") {
    const failures = read.failures + 1;
    leaveOpen(survey, why, now);
    if (failures < MOST_FAILURES) {
      return survey.note({ kind: "reading", purpose, read: { ...read, failures } });
    }
  } else if (read.begun === 1) {
    // A backlog of the newest pages says nothing of the others.
    if (why === "closed") await closeBooks(survey, read, ids);
    else leaveOpen(survey, why, now);
    // A survey without books is read on until its list is believed. One that had responses may be away for hours.
    const isEmpty = why === "closed" && survey.state.booksOpen?.code === "read-as-empty";
    if (isEmpty && purpose === "backlog" && survey.state.books === undefined) return;
  }
  if (read.unreplaced) survey.note({ kind: "full read due", at: now });
  survey.note({ kind: "read", purpose });
  await dropIds(survey, read.ids);
}

/** Why the books stay open, or that they may be closed; and whether the read goes on, as its end could not be seen. */
async function whyOpen(
  survey: Survey,
  read: FullRead,
  ids: ReadIds,
  end: ReadEnd,
): Promise<{ why: BooksOpen | "closed"; goesOn?: boolean }> {
  const unseen = (page: number) => ({ why: { code: "pages-unreachable" as const, pages: [page] }, goesOn: true });
  if (end.kind !== "end" || (end.isEmpty && ids.all.size > 0)) return unseen(end.kind === "failed" ? end.page : 1);
  if (!read.covered) return { why: { code: "pages-moved" } };
  if (read.skipped.length > 0) return { why: { code: "pages-unreachable", pages: read.skipped } };
  const reaches = await survey.orLeave(() => reachesHead(survey, read, ids, end));
  if (reaches === undefined) return unseen(1);
  if (reaches === "more") return { why: { code: "pages-moved" }, goesOn: true };
  return { why: reaches === "reached" ? "closed" : { code: "range-unreachable" } };
}

/**
 * Whether a read from the oldest page to its end has met the first page of the other order (R29). Arrivals meanwhile are at that end by now, or are new to the ledger.
 * Else there is a part of the list that no page number reaches, or a page was read as empty by mistake. More: it stands behind the last page by now. Before the first books
 * history is new to the ledger, too, and so may be what stands there: it is read on.
 */
async function reachesHead(
  survey: Survey,
  { startedAt }: FullRead,
  ids: ReadIds,
  { last, seen }: EndOfList,
): Promise<"reached" | "not reached" | "more"> {
  const head = await idsOn(survey, 1, "desc");
  const missing = new Set(head.filter((id) => !ids.has(id)));
  if (missing.size === 0) return "reached";
  // Behind a page that is skipped there may be more.
  if (seen === "skipped") return "not reached";
  const known = await survey.entries(missing);
  // What the ledger had before the read began is no arrival. An open one moves when it completes.
  const had = ({ state, emittedAt, firstSeen = 0 }: LedgerEntry): boolean =>
    state !== "open" && (emittedAt ?? firstSeen) < startedAt;
  if ([...known.values()].some(had)) return "not reached";
  const hasBooks = survey.state.books !== undefined;
  for (const page of [last, last + 1]) {
    const there = missing.size === 0 ? [] : await idsOn(survey, page, "asc");
    if (!hasBooks && page > last && there.some((id) => missing.has(id))) return "more";
    for (const id of there) missing.delete(id);
  }
  if (missing.size === 0) return "reached";
  const isArrival = (id: number): boolean => hasBooks && known.get(id)?.state !== "emitted";
  return [...missing].every(isArrival) ? "reached" : "not reached";
}

/** None where there is no such page. Behind the end of the list some services fail. */
async function idsOn(survey: Survey, page: number, order: Order): Promise<number[]> {
  try {
    return toPage(page, await survey.page(page, order))?.runs.map(({ responseId }) => responseId) ?? [];
  } catch (error) {
    if (page === 1 || endsWork(error)) throw error;
    return [];
  }
}

/** Goes on with a walk while its steps are dealt with, as far as `most` steps before them. Where it is left, what was done before its turn is left with it. */
export async function* readAhead<T>(steps: AsyncGenerator<T, void>, most: number): AsyncGenerator<T, void> {
  const begun: Promise<IteratorResult<T, void>>[] = [];
  let latest: Promise<unknown> = Promise.resolve();
  let isOver = false;
  try {
    for (;;) {
      while (begun.length <= most) {
        // One after the other, so that none is begun any more once the walk is left.
        const step = latest.then(() => (isOver ? steps.return() : steps.next()));
        // A failure is told when that step is asked for.
        latest = step.catch(() => undefined);
        begun.push(step);
      }
      const step = await begun.shift();
      if (step === undefined || step.done) return;
      yield step.value;
    }
  } finally {
    isOver = true;
    await latest;
    await steps.return();
  }
}
