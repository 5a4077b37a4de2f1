import { closeBooks, leaveOpen } from "./books/books.ts";
import { dropIds, keepIds, loadIds, ReadIds } from "./books/ids.ts";
import { type Allowance, asBacklog, type PollContext } from "./context.ts";
import { endsWork, orLeave } from "./errors.ts";
import { holdLease } from "./lease.ts";
import { type BooksOpen, type FullRead, newFullRead } from "./model/books.ts";
import { beginAllPages, followHead, placeOf } from "./model/mark.ts";
import { addCounts, noCounts, type PollCounts } from "./model/poll-counts.ts";
import type { Run } from "./model/records.ts";
import type { Order } from "./ports.ts";
import { fullSurvey } from "./process-page.ts";
import { Publishing } from "./publish/publish.ts";
import { toPage } from "./walk/page.ts";
import type { ReadEnd } from "./walk/read-pages.ts";

// A full read meets all pages from the oldest on, in parts (R7, R25, R29). A backlog brings out what is behind; a read for the books finds what scans have missed. Both
// close the books at their end.

/** Responses on the way to the bus, at most, for each request that may be in flight; and at least so many, that batches are full where few may be. */
const ON_THE_WAY = 3;
const LEAST_ON_THE_WAY = 40;
/** Pages that are processed before their turn. */
const PAGES_AHEAD = 24;
/** Milliseconds after which its place is saved, should it not come to its end: what a crash costs is read again. */
const SAVED_EVERY = 60_000;
/** Parts in a row that have come no further, after which a read ends without its books. */
const MOST_FAILURES = 10;
/** Pages that a part reads at least, whatever the budget: two or three find its place again. */
const LEAST_PAGES = 4;
/** Pages that a part may go back for its anchor, and has to come beyond its place all the same. */
const NEAR = 8;

/** How a full read is made: what it is for, how many pages it reads ahead, when a part of it is over, and where it stands in the mark. */
interface Plan {
  origin: "backlog" | "full-read";
  pagesAhead: number;
  mostAtOnce?: () => number;
  /** `pages`: by how many it has come beyond its place. One it comes further in any case. */
  isOver: (pages: number) => boolean;
  keep: (read: FullRead | undefined) => void;
}

/** One part of a backlog. It reads on until `streamUntil`. */
export async function readBacklog(ctx: PollContext, read: FullRead): Promise<PollCounts> {
  const { mark, ports } = ctx;
  // What it reads now is more than an older read for the books has met.
  if (mark.pass !== undefined) await dropBooksRead(ctx);
  beginAllPages(mark, read);
  await ports.state.saveMark(ctx.lease, mark);
  const plan: Plan = {
    origin: "backlog",
    pagesAhead: PAGES_AHEAD,
    isOver: () => ports.clock.now() > ctx.streamUntil,
    keep: (now) => (now === undefined ? followHead(mark) : beginAllPages(mark, now)),
  };
  const counts = await asBacklog(ctx, (lane) => readPart(lane, read, plan));
  // fault: slice-ends-backlog
  if (placeOf(mark) !== undefined) counts.unfinished = true;
  // Without books of its own a survey is read for them at once.
  else if (mark.books === undefined) mark.nextPass = ports.clock.now();
  return counts;
}

/** One part of a read for the books, as far as the budget goes. It finds what every scan has missed. */
export function readForBooks(ctx: PollContext, allowance: Allowance): Promise<PollCounts> {
  const { mark, ports } = ctx;
  // From its very beginning the mark shows that it is under way.
  mark.pass ??= newFullRead(ports.clock.now());
  return readPart(ctx, mark.pass, {
    origin: "full-read",
    pagesAhead: 0,
    mostAtOnce: () => Math.max(1, Math.floor(allowance.left() / 2)),
    isOver: (pages) => ports.clock.now() > ctx.deadline || (pages >= LEAST_PAGES && allowance.left() <= 0),
    keep(now) {
      if (now === undefined) delete mark.pass;
      else mark.pass = now;
    },
  });
}

/** Forgets a read for the books, and what of it lies in the vault. */
export async function dropBooksRead(ctx: PollContext): Promise<void> {
  const { pass } = ctx.mark;
  delete ctx.mark.pass;
  await dropIds(ctx, pass?.ids);
}

/** Reads on from a place, which is raised as pages are done with, and does what is to be done at the end of the list. */
async function readPart(ctx: PollContext, reached: FullRead, plan: Plan): Promise<PollCounts> {
  const { clock } = ctx.ports;
  const known = await loadIds(ctx, reached.ids);
  // Without the ids that belong to its place it begins again.
  const { head, backfill } = reached;
  const again = { ...(head === undefined ? {} : { head }), ...(backfill === undefined ? {} : { backfill }) };
  const read = known === undefined ? newFullRead(clock.now(), again) : { ...reached, skipped: [...reached.skipped] };
  const ids = known ?? new ReadIds();
  const counts = noCounts();
  const { page: begun } = read;
  const isFirstPart = begun <= read.begun;
  const publishing = new Publishing(ctx, Math.max(LEAST_ON_THE_WAY, ON_THE_WAY * ctx.source.concurrency));
  const from = isFirstPart ? begun : Math.max(1, begun - 1);
  const { mostAtOnce, origin } = plan;
  const steps = fullSurvey(ctx, {
    from,
    origin,
    isFirstPart,
    ids,
    ...(mostAtOnce === undefined ? {} : { mostAtOnce }),
  });
  let dealtTo = begun;
  let savedAt = clock.now();
  /** The page beyond which it has come further: its place, or where it had to go back to. */
  let goal: number | undefined;
  let end: ReadEnd | undefined;
  let wanted = 0;
  const move = (): void => {
    const settled = Math.max(1, publishing.settledTo() ?? read.page);
    // An earlier failure says nothing of a read that has come further since.
    if (settled > begun) read.failures = 0;
    read.page = settled;
  };
  try {
    for await (const step of plan.pagesAhead > 0 ? readAhead(steps, plan.pagesAhead) : steps) {
      addCounts(counts, step);
      // The position does not go beyond the place of something that was left.
      if (counts.left === 0) dealtTo = step.position;
      // fault: left-out-forgotten
      read.covered &&= step.covered;
      read.moved ||= step.moved;
      read.skipped = [...new Set([...read.skipped, ...step.skipped])];
      read.changed += step.changed;
      read.found += step.found;
      wanted += step.toEmit.filter(({ replaces }) => replaces !== undefined).length;
      await publishing.take(step.toEmit, dealtTo);
      await holdLease(ctx);
      if (clock.now() >= savedAt + SAVED_EVERY) {
        move();
        await keepPlace(ctx, read, ids, plan);
        savedAt = clock.now();
      }
      ({ end } = step);
      goal ??= step.position < begun - NEAR ? step.position + 1 : begun;
      // fault: slice-stops-at-once
      if (step.position > goal && plan.isOver(step.position - goal)) break;
    }
  } finally {
    // Whatever failed, responses on their way come to their end, and count.
    try {
      const sent = await publishing.end();
      addCounts(counts, sent);
      read.repaired += sent.repaired;
      read.found += sent.found;
      read.unreplaced ||= wanted > sent.repaired + sent.unproved;
    } finally {
      move();
      await keepPlace(ctx, read, ids, plan);
    }
  }
  if (end !== undefined && counts.left === 0) await finish(ctx, read, { ids, end, counts, plan });
  return counts;
}

interface AtEnd {
  ids: ReadIds;
  end: ReadEnd;
  counts: PollCounts;
  plan: Plan;
}

/** Closes the books, or says why they stay open. A read is forgotten last: a failure at its end makes only that end be done again. */
async function finish(ctx: PollContext, read: FullRead, { ids, end, counts, plan }: AtEnd): Promise<void> {
  const now = ctx.ports.clock.now();
  const why = await whyOpen(ctx, read, ids, end);
  if (why === undefined) {
    read.failures += 1;
    leaveOpen(ctx, { code: "pages-unreachable", pages: [end.kind === "failed" ? end.page : 1] }, now);
    if (read.failures < MOST_FAILURES) return plan.keep(read);
  } else {
    counts.complete = true;
    if (read.begun > 1) {
      // A backlog of the newest pages says nothing of the others.
    } else if (why !== "closed") leaveOpen(ctx, why, now);
    else {
      const { startedAt, moved, changed, repaired, found } = read;
      await closeBooks(ctx, { ids, startedAt, moved, changed, repaired, found });
      // An empty list is believed when it stays empty.
      if (ctx.mark.booksOpen?.code === "read-as-empty" && plan.origin === "backlog") return plan.keep(read);
    }
  }
  if (read.unreplaced) ctx.mark.nextPass = now;
  plan.keep(undefined);
  await dropIds(ctx, read.ids);
}

/** Why the books stay open, or that they may be closed; undefined where that could not be seen. */
async function whyOpen(
  ctx: PollContext,
  { covered, skipped }: FullRead,
  ids: ReadIds,
  end: ReadEnd,
): Promise<BooksOpen | "closed" | undefined> {
  if (end.kind !== "end" || (end.isEmpty && ids.all.size > 0)) return undefined;
  if (!covered) return { code: "pages-moved" };
  if (skipped.length > 0) return { code: "pages-unreachable", pages: skipped };
  const reaches = await orLeave(ctx, async () => ({ head: await reachesHead(ctx, ids, end.last) }));
  if (reaches === undefined) return undefined;
  return reaches.head ? "closed" : { code: "range-unreachable" };
}

/** Writes the place and the ids that were met up to there. */
async function keepPlace(ctx: PollContext, read: FullRead, ids: ReadIds, plan: Plan): Promise<void> {
  const { ids: older } = read;
  const kept = await orLeave(ctx, () => keepIds(ctx, ids, "read"));
  // What cannot be kept is read again from the place of before.
  if (kept === undefined) return;
  read.ids = kept;
  plan.keep({ ...read });
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  await dropIds(ctx, older);
}

/**
 * Whether a read from the oldest page to the end at `last` has met the first page of the other order (R29). Arrivals meanwhile are at that end by now, or are new to
 * the ledger. Else there is a part of the list that no page number reaches.
 */
async function reachesHead(ctx: PollContext, ids: ReadIds, last: number): Promise<boolean> {
  const { mark, ports, surveyId } = ctx;
  const head = await runsOn(ctx, 1, "desc");
  const missing = new Map(head.map((run) => [run.responseId, run]));
  for (const id of missing.keys()) if (ids.has(id)) missing.delete(id);
  for (const page of [last, last + 1]) {
    if (missing.size === 0) return true;
    for (const { responseId } of await runsOn(ctx, page, "asc")) missing.delete(responseId);
  }
  if (missing.size === 0) return true;
  // Before the first books history is new to the ledger, too.
  if (mark.books === undefined) return false;
  const known = await ports.state.entries(surveyId, [...missing.keys()].slice(0, 100));
  return ![...known.values()].some(({ state }) => state === "emitted" || state === "before-start");
}

/** None where there is no such page; behind the end of the list some services fail. */
async function runsOn(ctx: PollContext, page: number, order: Order): Promise<Run[]> {
  try {
    return toPage(page, await ctx.ports.service.page(ctx.surveyId, page, order))?.runs ?? [];
  } catch (error) {
    if (page === 1 || endsWork(error)) throw error;
    return [];
  }
}

/** Goes on with a walk while its steps are dealt with, as far as `most` steps before them. Where it is left, what was done before its turn is left with it. */
export function readAhead<T, R>(steps: AsyncGenerator<T, R>, most: number): AsyncIterableIterator<T, R> {
  let isOver = false;
  let latest: Promise<unknown> = Promise.resolve();
  const begin = (): Promise<IteratorResult<T, R>> => {
    // One after the other, so that none is begun any more once the walk is left.
    const step = latest.then(() => (isOver ? steps.return(undefined as never) : steps.next()));
    // A failure is told when that step is asked for.
    latest = step.catch(() => undefined);
    return step;
  };
  const begun = Array.from({ length: most }, begin);
  const ahead: AsyncIterableIterator<T, R> = {
    next() {
      begun.push(begin());
      return begun.shift() ?? begin();
    },
    async return() {
      isOver = true;
      await latest;
      return steps.return(undefined as never);
    },
    [Symbol.asyncIterator]: () => ahead,
  };
  return ahead;
}
