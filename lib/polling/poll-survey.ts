import { type Allowance, asNews, type PollContext } from "./context.ts";
import { orLeave } from "./errors.ts";
import { readBacklog, readForBooks } from "./full-read.ts";
import { dropExpired } from "./ledger/kept-records.ts";
import type { RestKind, SurveyRow, WorkDue } from "./model/account.ts";
import { newFullRead } from "./model/books.ts";
import type { Listed, Mark } from "./model/mark.ts";
import { placeOf } from "./model/mark.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { emitDue } from "./publish/emit.ts";
import { type Presence, shownAs, tellSurvey } from "./publish/tell.ts";
import { hasUntold, tellBooks } from "./publish/tell-books.ts";
import { nextRecheckOf, recheck } from "./recheck.ts";
import { noteAllRead, rescan, scanAbove, scanBelow, scanHead } from "./scan.ts";
import { nextTry, tryAgain } from "./skipped-pages.ts";
import { type SurveyRequest, withSurvey } from "./with-survey.ts";

export interface PollRequest extends SurveyRequest {
  presence: Presence;
  /** Undefined where the list was not read. */
  listed?: Listed | undefined;
  /** Whether the head is read: something asks for it, or the counts have moved. */
  head: boolean;
  /** The counts of the list, and the row of the survey before this poll. What they show and the head does not is looked for below it. */
  counts?: SurveyRow["counts"];
  row?: SurveyRow | undefined;
  /** Whether this is the turn of its backlog: after its news that is read on, until `streamUntil`. Nothing is done where it has none. */
  isTurn?: boolean;
  /** Work of this kind that is done, as far as the allowance goes. */
  rest?: { kind: RestKind; allowance: Allowance };
}

export interface PollResult {
  counts: PollCounts;
  headRead: boolean;
  /** By how much the counts have grown since the row was written. */
  grown: number;
  /** Completed responses that the single read has shown and only pages can give. */
  sought: number;
  /** Whether all pages below the head were read for what counts show, by now or in earlier polls, and nothing was met. */
  vain: boolean;
  /** The mark as the poll has left it. */
  mark: Mark;
  /** Epoch milliseconds at which the survey is due whatever the counts say; absent when never. */
  dueAt: number | undefined;
  /** When other work is due. */
  rest: WorkDue;
  /** Whether a backlog is under way. */
  resumed: boolean;
  /** Whether its backlog has come further, or something of it has gone out. */
  isFurther: boolean;
  /** Whether this poll has closed the books. */
  closedNow: boolean;
  /** Events that it has replaced not for the first time. */
  repairedAgain: number;
  /** The survey itself as subscribers know it, in the form of `shownAs`; undefined where they are not told. */
  known: number | undefined;
  /** The failure of some response alone: that one is left to the next poll, all else was done. */
  failure: unknown;
}

/** Pages that a part of slow work reads, about. */
const PAGES_A_PART = 4;

/** Polls one survey under its lease: what waits and is due, then its backlog or its head, then other work. Undefined where someone else has the survey. */
export function pollSurvey(request: PollRequest): Promise<PollResult | undefined> {
  return withSurvey(request, async (ctx) => {
    ctx.allowance = request.rest?.allowance;
    const { mark } = ctx;
    const { listed, presence, isTurn = false } = request;
    // fault: survey-not-named
    if (listed?.facts) mark.survey = { ...listed, facts: listed.facts };
    if (listed !== undefined) await orLeave(ctx, () => tellSurvey(ctx, listed, presence));
    const earlier = { closedAt: mark.books?.closedAt, again: mark.repairs?.again ?? 0, page: placeOf(mark)?.page };
    const done: Done = { counts: noCounts(), headRead: false, grown: 0, sought: 0, vain: false };
    if (!isTurn || placeOf(mark) !== undefined) {
      await dropExpired(ctx);
      // Both go on beside each other: a detail that hangs again at each tick must not keep the news waiting.
      const [waiting, looked] = await Promise.allSettled([emitDue(ctx), look(ctx, request, done)]);
      if (looked.status === "rejected") throw looked.reason;
      if (waiting.status === "rejected") throw waiting.reason;
      addCounts(done.counts, waiting.value);
    }
    await tellBooks(ctx);
    return {
      ...done,
      mark,
      dueAt: await nextDue(ctx, done.counts),
      rest: await restOf(ctx),
      resumed: placeOf(mark) !== undefined,
      isFurther: placeOf(mark)?.page !== earlier.page || done.counts.emitted + done.counts.waiting > 0,
      closedNow: mark.books !== undefined && mark.books.closedAt !== earlier.closedAt,
      repairedAgain: (mark.repairs?.again ?? 0) - earlier.again,
      known: mark.known && ctx.source.events.has("survey.changed") ? shownAs(mark.known.facts) : undefined,
      failure: ctx.failure,
    };
  });
}

/** What a poll has done so far. */
type Done = Pick<PollResult, "counts" | "headRead" | "grown" | "sought" | "vain">;

/** Looks for what is new, and does what other work it may. */
async function look(ctx: PollContext, request: PollRequest, done: Done): Promise<void> {
  const { mark } = ctx;
  await asNews(ctx, async () => {
    await tryAgain(ctx);
    done.headRead = request.head || mark.phase.kind !== "head";
    if (done.headRead) await readNews(ctx, request, done);
  });
  const { rest } = request;
  if (rest === undefined || done.counts.unfinished) return;
  if (rest.kind === "full read") addCounts(done.counts, await readForBooks(ctx, rest.allowance));
  else if (rest.kind === "rescan") await doRescan(ctx, rest.allowance, done);
  else {
    const { counts, sought } = await recheck(ctx, rest.allowance);
    addCounts(done.counts, counts);
    done.sought += sought;
  }
}

/** The news of a survey: at its head and below it; above a backlog, and that backlog itself in its turn; all that is there at the first poll. */
async function readNews(
  ctx: PollContext,
  { counts = [], row, isTurn = false }: PollRequest,
  done: Done,
): Promise<void> {
  const { mark, ports } = ctx;
  const place = placeOf(mark);
  if (place !== undefined) {
    // Whatever fails in looking at the head, the backlog does not wait for it.
    const above = (await orLeave(ctx, () => scanAbove(ctx, place))) ?? noCounts();
    // The backlog meets all of it again.
    if (isTurn) addCounts(done.counts, { ...above, left: 0, unfinished: false, complete: false });
    addCounts(done.counts, isTurn ? await readBacklog(ctx, place) : { ...above, unfinished: true });
    return;
  }
  if (mark.phase.kind === "new") {
    addCounts(done.counts, await readBacklog(ctx, newFullRead(ports.clock.now())));
    // The list may have its news elsewhere than at the oldest end.
    if (!isClean(done.counts)) return;
  }
  addCounts(done.counts, await scanHead(ctx));
  // The first reading has come to its end.
  if (mark.rescan === undefined) noteAllRead(ctx);
  done.grown = grownBy(counts, row, mark.books);
  const { hint } = row ?? {};
  const isResting = hint !== undefined && hint.nextAt > ports.clock.now();
  const missing = isResting ? 0 : (hint?.missing ?? 0) + done.grown - done.counts.found;
  if (missing <= 0) delete mark.search;
  if (missing <= 0 || !isClean(done.counts) || mark.phase.kind !== "head" || row === undefined) return;
  const below = await scanBelow(ctx, missing);
  addCounts(done.counts, below.counts);
  done.vain = below.isVain;
}

/** By how much the counts have grown since the last poll: the one that has grown most. Behind books that have closed since then, by what they show beyond these alone. */
export function grownBy(
  counts: SurveyRow["counts"],
  row: Pick<SurveyRow, "counts" | "polledAt"> | undefined,
  books?: { closedAt: number; listed: number },
): number {
  const isRead = row !== undefined && books !== undefined && books.closedAt > row.polledAt;
  const grown = counts.map((count, i) => {
    const more = (count ?? 0) - (row?.counts[i] ?? count ?? 0);
    return isRead ? Math.min(more, (count ?? 0) - books.listed) : more;
  });
  return Math.max(0, ...grown);
}

/** One more rescan, or the next part of one: from the head down to a depth that doubles each time, to the end of the list, then one page again (R23). */
async function doRescan(ctx: PollContext, allowance: Allowance, done: Done): Promise<void> {
  const { mark } = ctx;
  if (mark.rescan?.place === undefined) {
    done.headRead = true;
    addCounts(done.counts, await scanHead(ctx));
    // A place to go on from is no empty page taken as it is, and no scan that was cut short.
    if (!isClean(done.counts)) return;
  }
  addCounts(done.counts, await rescan(ctx, allowance));
}

/** When other work of this survey is due next. What is under way goes on at once; its period is that of a part. */
async function restOf(ctx: PollContext): Promise<WorkDue> {
  const { mark, source } = ctx;
  const { every, full } = source.rescan;
  const { place, doneAt = 0, step = 0 } = mark.rescan ?? {};
  const parts = (pages: number): number => Math.max(1, Math.ceil(pages / PAGES_A_PART));
  return {
    // Re-checks have no period of their own.
    // fault: no-re-check
    recheck: { at: await nextRecheckOf(ctx), every },
    rescan:
      place === undefined ? { at: doneAt + every, every } : { at: place.startedAt, every: every / parts(2 ** step) },
    // fault: one-pass-only
    "full read":
      mark.pass === undefined
        ? { at: mark.nextPass ?? 0, every: full }
        : { at: mark.pass.startedAt, every: full / parts(mark.lastPage ?? 1) },
  };
}

async function nextDue(ctx: PollContext, counts: PollCounts): Promise<number | undefined> {
  const now = ctx.ports.clock.now();
  if (counts.unfinished || counts.left > 0) return now;
  const moments: number[] = [];
  // fault: waiting-unasked
  const next = await ctx.ports.state.nextDue(ctx.surveyId, "waiting");
  if (next !== undefined) moments.push(next);
  const tried = nextTry(ctx.mark);
  if (tried !== undefined) moments.push(tried);
  if (hasUntold(ctx)) moments.push(now + ctx.source.absentAfter);
  // The index may lag behind what was just written.
  if (counts.waiting > 0) moments.push(now + ctx.source.absentAfter);
  return moments.length === 0 ? undefined : Math.min(...moments);
}
