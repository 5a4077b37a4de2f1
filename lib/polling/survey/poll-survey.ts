import { asNews, type PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { readBacklog } from "../full-read.ts";
import { dropExpired } from "../ledger/quarantine.ts";
import { newFullRead } from "../model/books.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Listed, Mark } from "../model/mark.ts";
import { placeOf } from "../model/phase.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { takeWaiting } from "../publish/emit.ts";
import { notSpared, outagesOf } from "../publish/outage.ts";
import { createPipeline, type Pipeline } from "../publish/pipeline.ts";
import { noteAllRead } from "../rescan-levels.ts";
import { scanAbove, scanBelow, scanHead } from "../scan.ts";
import { nextTry, tryAgain } from "../skipped-pages.ts";
import { type BackgroundDue, type BackgroundRequest, background, nextBackground, type PollWork } from "./background.ts";
import { hasUntold, tellBooks } from "./tell-books.ts";
import { type Presence, shownAs, tellSurvey } from "./tell-survey.ts";
import { type SurveyRequest, withSurvey } from "./with-survey.ts";

export interface PollRequest extends SurveyRequest {
  presence: Presence;
  /** Undefined where the list was not read. */
  listed?: Listed | undefined;
  /** Whether the head is read: something asks for it, or the counts have moved. Else only background work is done. */
  head: boolean;
  /** New responses that the counts have shown and the head has not: they are searched for below it. */
  seek?: number;
  /** Whether this is the turn of its backlog: after its news that is read on, until `streamUntil`. Nothing is done where it has none. */
  isTurn?: boolean;
  /** The slow work that may be done. */
  background?: BackgroundRequest;
}

export interface PollResult extends PollWork {
  /** The mark as the poll has left it. */
  mark: Mark;
  /** Epoch milliseconds at which the survey is due whatever the counts say; absent when never. */
  dueAt: number | undefined;
  /** When slow work is due. */
  slowDue: BackgroundDue;
  /** Whether the survey is being caught up: what comes behind that is looked for once. */
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

/** Waiting responses looked at together. */
const WAITING_AT_ONCE = 100;
/** And in one poll while an operation fails for everybody. */
const MOST_IN_OUTAGE = 500;

/** Polls one survey under its lease: what waits and is due, then its backlog or its head. Undefined where someone else has the survey. */
export function pollSurvey(request: PollRequest): Promise<PollResult | undefined> {
  return withSurvey(request, async (ctx) => {
    ctx.allowance = request.background?.allowance;
    const { mark } = ctx;
    const { listed, presence } = request;
    // fault: survey-not-named
    if (listed?.facts) mark.survey = { ...listed, facts: listed.facts };
    if (listed !== undefined) await orLeave(ctx, () => tellSurvey(ctx, listed, presence));
    const earlier = { closedAt: mark.books?.closedAt, again: mark.repairs?.again ?? 0, page: placeOf(mark)?.page };
    const done = await work(ctx, request);
    await tellBooks(ctx);
    return {
      ...done,
      mark,
      dueAt: await nextDue(ctx, done.counts),
      slowDue: await nextBackground(ctx),
      resumed: placeOf(mark) !== undefined,
      isFurther: placeOf(mark)?.page !== earlier.page || done.counts.emitted + done.counts.waiting > 0,
      closedNow: mark.books !== undefined && mark.books.closedAt !== earlier.closedAt,
      repairedAgain: (mark.repairs?.again ?? 0) - earlier.again,
      known: mark.known && ctx.source.events.has("survey.changed") ? shownAs(mark.known.facts) : undefined,
      failure: ctx.failure,
    };
  });
}

async function work(ctx: PollContext, request: PollRequest): Promise<PollWork> {
  const done: PollWork = { counts: noCounts(), headRead: false, missing: 0, foundBelow: 0, vain: 0 };
  if (request.isTurn === true && placeOf(ctx.mark) === undefined) return done;
  await dropExpired(ctx);
  // Both go on beside each other: a detail that hangs again at each tick must not keep the news waiting.
  const [waiting, looked] = await Promise.allSettled([emitDue(ctx), look(ctx, request, done)]);
  if (looked.status === "rejected") throw looked.reason;
  if (waiting.status === "rejected") throw waiting.reason;
  addCounts(done.counts, waiting.value);
  return done;
}

/** Looks for what is new, and does what slow work it may. */
async function look(ctx: PollContext, request: PollRequest, done: PollWork): Promise<void> {
  await asNews(ctx, async () => {
    await tryAgain(ctx);
    done.headRead = request.head || ctx.mark.phase.kind !== "head";
    const { isTurn = false } = request;
    if (done.headRead) addCounts(done.counts, await news(ctx, isTurn));
    // The first reading has come to its end.
    if (ctx.mark.patrol === undefined && ctx.mark.phase.kind === "head") noteAllRead(ctx);
    await seek(ctx, request.seek ?? 0, done);
  });
  if (!done.counts.unfinished && request.background !== undefined) await background(ctx, request.background, done);
}

/** The news of a survey: above a backlog that is being caught up, and that backlog itself in its turn; all that is there at the first poll, else what the head shows. */
async function news(ctx: PollContext, isTurn: boolean): Promise<PollCounts> {
  if (ctx.mark.phase.kind === "new") return readAll(ctx);
  const place = placeOf(ctx.mark);
  if (place === undefined) return scanHead(ctx);
  // Whatever fails in looking at the head, the backlog does not wait for it.
  const above = (await orLeave(ctx, () => scanAbove(ctx, place))) ?? noCounts();
  if (!isTurn) return addCounts(above, { unfinished: true });
  // The backlog meets all of it again.
  return addCounts(await readBacklog(ctx, place), { ...above, left: 0, unfinished: false, complete: false });
}

/** The first reading of a survey. After all pages its head is looked at: the list may have its news elsewhere than at the asc end. */
async function readAll(ctx: PollContext): Promise<PollCounts> {
  const counts = await readBacklog(ctx, newFullRead(ctx.ports.clock.now()));
  return isClean(counts) ? addCounts(counts, await scanHead(ctx)) : counts;
}

/** Searches below the head, once that has been read to its end, for what the counts have shown. */
async function seek(ctx: PollContext, missing: number, done: PollWork): Promise<void> {
  // The next one begins where the head walk has ended then.
  if (missing === 0) delete ctx.mark.search;
  if (missing === 0 || !isClean(done.counts) || ctx.mark.phase.kind !== "head") return;
  const { counts, vain } = await scanBelow(ctx, missing);
  addCounts(done.counts, counts);
  done.foundBelow = counts.found;
  done.vain = vain;
}

/** Looks at what waits and is due, until there is no more of it or the time is up. */
async function emitDue(ctx: PollContext): Promise<PollCounts> {
  const pipeline = createPipeline(ctx, WAITING_AT_ONCE);
  // Whatever failed, responses on their way come to their end.
  const [taken] = await Promise.allSettled([takeDue(ctx, pipeline)]);
  const counts = await pipeline.end();
  if (taken.status === "rejected") throw taken.reason;
  // These were counted as found when they were met.
  return { ...counts, found: 0, left: counts.left + taken.value };
}

/** Gives how many are left to the next poll. */
async function takeDue(ctx: PollContext, pipeline: Pipeline): Promise<number> {
  const { state, clock } = ctx.ports;
  const seen = new Set<LedgerEntry["id"]>();
  let left = 0;
  let most = WAITING_AT_ONCE;
  while (clock.now() <= ctx.deadline) {
    const first = await state.due(ctx.surveyId, "waiting", clock.now(), most);
    const due = first.filter(({ id }) => !seen.has(id));
    if (due.length === 0) {
      if (first.length < most) break;
      // Those that cannot be taken out stay due, and are not to hide those behind them.
      most += WAITING_AT_ONCE;
      continue;
    }
    for (const { id } of due) seen.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const now = await state.entries(
      ctx.surveyId,
      due.map(({ id }) => id),
    );
    // fault: stale-index-believed
    const waiting = due.filter(({ id }) => now.get(id)?.state === "waiting");
    left += await takeWaiting(ctx, pipeline, seen.size > WAITING_AT_ONCE ? await notSpared(ctx, waiting) : waiting);
    // Of responses that wait for the end of an outage, or for the questions of the survey, not all are looked at: they stay due as they are.
    const isHeldUp = outagesOf(ctx).length > 0 || ((await ctx.definition)?.reasons.length ?? 0) > 0;
    if (isHeldUp && seen.size >= MOST_IN_OUTAGE) break;
  }
  return left;
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
