import { type BackgroundRequest, type BackgroundResult, background, nextBackground } from "./background.ts";
import { type Allowance, asNews, LEASE_DURATION, type PollContext, type PollingSource, underLease } from "./context.ts";
import { emitWaiting } from "./emit.ts";
import { LeaseLostError } from "./errors.ts";
import { firstPass, type Presence } from "./first-pass.ts";
import { passSlice } from "./full-pass.ts";
import { headScan } from "./head-scan.ts";
import { type OutageWatch, runningOutages } from "./outage-watch.ts";
import { dropPass } from "./pass-end.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./poll-counts.ts";
import type { Ports } from "./ports.ts";
import { dropExpired } from "./quarantine.ts";
import type { Books, LedgerEntry } from "./state-types.ts";
import { stream } from "./stream.ts";
import { levels, noteLookBack } from "./sweep.ts";

export interface PollRequest {
  ports: Ports;
  source: PollingSource;
  surveyId: number;
  owner: string;
  /** Epoch milliseconds after which no new page is begun. */
  deadline: number;
  presence: Presence;
  sourceFloor: string | undefined;
  /** Epoch milliseconds of the source's first tick, unless that is this one. */
  firstTick: number | undefined;
  /** Largest of the counts that the survey list shows; undefined when it shows none. */
  listedCount: number | undefined;
  shortPageEnds: boolean | undefined;
  /** Whether the head is read: something asks for it, or the counts have moved. Else only background work is done. */
  head: boolean;
  /** What slow work may be done. */
  background?: BackgroundRequest;
  /** Shared by all polls of a tick. */
  watch: OutageWatch;
}

/** Busy: someone else holds the lease, until about `until`. */
export type PollResult =
  | { kind: "busy" }
  | {
      kind: "polled";
      counts: PollCounts;
      /** Epoch milliseconds at which the survey is due by itself; absent when never. */
      dueAt: number | undefined;
      newestSeen: string | undefined;
      /** Epoch milliseconds at which background work is due. */
      backgroundAt: number;
      headRead: boolean;
      /** Set when a search below the head came to an end: how many new responses it met. */
      sought: number | undefined;
      /** Completed responses that are known of and yet to be found on pages. */
      missing: number;
      /** Whether it was part of a pass over several polls. */
      resumed: boolean;
      shortPageEnds: boolean | undefined;
      books: Books | undefined;
      booksOpen: string | undefined;
      /** Whether this poll has closed them. */
      closedNow: boolean;
      /** Listed responses that the last full pass could not account for. */
      unaccounted: number;
      /** Events that it has replaced not for the first time. */
      repairedAgain: number;
    };

/** What operation 9 could not confirm now it seldom can a moment later, and each look costs a request. */
const HELD_FOR = 300_000;
/** Waiting responses looked at together. */
const WAITING_AT_ONCE = 100;

/** Polls one survey under its lease: what waits and is due, then its backlog or its head. */
export async function pollSurvey(request: PollRequest): Promise<PollResult> {
  const { ports, surveyId } = request;
  const lease = await ports.state.acquire(surveyId, request.owner, LEASE_DURATION);
  if (lease === undefined) return { kind: "busy" };
  const ctx: PollContext = {
    ports,
    source: request.source,
    surveyId,
    lease,
    mark: lease.mark,
    deadline: request.deadline,
    shortPageEnds: request.shortPageEnds,
    sourceFloor: request.sourceFloor,
    firstTick: request.firstTick,
    listedCount: request.listedCount,
    allowance: request.background?.allowance,
    newestSeen: undefined,
    lost: undefined,
    resumed: lease.mark.floor !== undefined && !lease.mark.firstPassDone,
    watch: request.watch,
  };
  const earlier = { closedAt: lease.mark.books?.closedAt, again: lease.mark.repairs?.again ?? 0 };
  try {
    const done = await underLease(ctx, () => work(ctx, request));
    const { counts } = done;
    const dueAt = await nextDue(ctx, counts);
    const backgroundAt = await nextBackground(ctx);
    await ports.state.release(lease, ctx.mark);
    return {
      kind: "polled",
      ...done,
      dueAt,
      backgroundAt,
      newestSeen: ctx.newestSeen,
      resumed: ctx.resumed,
      shortPageEnds: ctx.shortPageEnds,
      books: ctx.mark.books,
      closedNow: ctx.mark.books !== undefined && ctx.mark.books.closedAt !== earlier.closedAt,
      unaccounted: ctx.mark.unaccounted ?? 0,
      repairedAgain: (ctx.mark.repairs?.again ?? 0) - earlier.again,
      booksOpen: ctx.mark.booksOpen,
    };
  } catch (error) {
    if (error instanceof LeaseLostError) return { kind: "busy" };
    await giveBack(ctx);
    throw error;
  }
}

type Work = BackgroundResult;

async function work(ctx: PollContext, request: PollRequest): Promise<Work> {
  const { state } = ctx.ports;
  const { pending } = ctx.mark;
  if (pending !== undefined && pending.length > 0) {
    // Published, and not in the ledger yet: before that nothing more may be published.
    await state.putEntries(ctx.surveyId, pending);
    delete ctx.mark.pending;
    await state.saveMark(ctx.lease, ctx.mark);
  }
  const counts = noCounts();
  const failure = await emitDue(ctx, counts);
  await dropExpired(ctx);
  const done = await look(ctx, request, counts);
  // Only now: a single response of which something fails each time must not keep the survey from its news.
  if (failure !== undefined) throw failure;
  return done;
}

/** Looks for what is new, and does what slow work it may. */
async function look(ctx: PollContext, request: PollRequest, counts: PollCounts): Promise<Work> {
  // What was joined goes first: it is ready, and what follows may take all the time there is.
  if (ctx.mark.pass?.ended === true) await asNews(ctx, () => joinNow(ctx, counts));
  const wasFirst = !ctx.mark.firstPassDone;
  const wasContiguous = ctx.mark.contiguous === true;
  const headRead = request.head || ctx.mark.stream !== undefined || !ctx.mark.firstPassDone;
  if (headRead) addCounts(counts, await asNews(ctx, () => news(ctx, request)));
  // What there was has just been met: looking back begins to count from here.
  if (wasFirst && ctx.mark.firstPassDone) noteLookBack(ctx, levels(ctx.source.lookBack) - 1, ctx.ports.clock.now());
  if (counts.held > 0 && !wasContiguous && ctx.mark.contiguous === true && !ctx.mark.confirmation.apart) {
    // This very scan has shown that what it held was whole.
    counts.held = 0;
    addCounts(counts, await asNews(ctx, () => news(ctx, request)));
  }
  const done: Work = { counts, headRead, sought: undefined, missing: 0 };
  if (counts.held > 0) await asNews(ctx, () => joinNow(ctx, counts));
  if (request.background === undefined || !ctx.mark.firstPassDone || counts.unfinished) return done;
  const slow = await background(ctx, request.background);
  if (slow.counts.held > 0) await asNews(ctx, () => joinNow(ctx, slow.counts));
  return { ...slow, counts: addCounts(counts, slow.counts), headRead: headRead || slow.headRead };
}

/** What is new: a backlog that is being streamed, all that is there at the first poll, else what the head shows. */
async function news(ctx: PollContext, { presence }: PollRequest): Promise<PollCounts> {
  const position = ctx.mark.stream;
  if (position !== undefined) {
    const counts = await stream(ctx, position);
    return isClean(counts) ? addCounts(counts, await headScan(ctx)) : counts;
  }
  return ctx.mark.firstPassDone ? headScan(ctx) : firstPass(ctx, presence);
}

/**
 * Responses are held because operation 9 cannot tell whether they are whole: a full pass will, and they are news, so it
 * does not wait for the background budget. As it reads every page, it is not made at every tick.
 */
async function joinNow(ctx: PollContext, counts: PollCounts): Promise<void> {
  const { mark, ports } = ctx;
  const now = ports.clock.now();
  if (mark.pass?.spilled === undefined) {
    if (now < (mark.joinAgain ?? 0)) return;
    if (mark.pass !== undefined) await dropPass(ctx, mark.pass);
  }
  const unlimited: Allowance = { left: () => Number.POSITIVE_INFINITY, spend: () => {} };
  const { held, ...joined } = await passSlice(ctx, unlimited, { join: true });
  addCounts(counts, joined);
  // Still held are those that may have arrived while it read.
  if (joined.complete) counts.held = held;
  const isShort = (mark.pages ?? Number.POSITIVE_INFINITY) <= ctx.source.headPages;
  mark.joinAgain = now + (isShort ? 0 : HELD_FOR);
}

/** Looks at what waits and is due, until there is no more of it or the time is up. Gives the first failure that concerns some of it alone. */
async function emitDue(ctx: PollContext, counts: PollCounts): Promise<unknown> {
  const { state, clock } = ctx.ports;
  const seen = new Set<LedgerEntry["id"]>();
  let failure: unknown;
  while (clock.now() <= ctx.deadline) {
    const due = (await state.due(ctx.surveyId, "waiting", clock.now(), WAITING_AT_ONCE)).filter(
      ({ id }) => !seen.has(id),
    );
    if (due.length === 0) break;
    for (const { id } of due) seen.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const now = await state.entries(
      ctx.surveyId,
      due.map(({ id }) => id),
    );
    const outcome = await emitWaiting(
      ctx,
      due.filter(({ id }) => now.get(id)?.state === "waiting"),
    );
    addCounts(counts, outcome.counts);
    failure ??= outcome.failure;
    // The others stay due: they are asked for at the first tick after it.
    if (runningOutages(ctx.watch, ctx.source.enrich).length > 0) break;
  }
  return failure;
}

async function nextDue(ctx: PollContext, counts: PollCounts): Promise<number | undefined> {
  const now = ctx.ports.clock.now();
  if (counts.unfinished || counts.deferred > 0) return now;
  const moments: number[] = [];
  const next = await ctx.ports.state.nextDue(ctx.surveyId, "waiting");
  if (next !== undefined) moments.push(next);
  // The index may lag behind what was just written.
  if (counts.waiting > 0) moments.push(now + ctx.source.absentAfter);
  if (counts.held > 0) moments.push(ctx.mark.joinAgain ?? now + HELD_FOR);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** After a failure the lease is given back, so that the next tick need not wait for it to run out. */
async function giveBack(ctx: PollContext): Promise<void> {
  try {
    await ctx.ports.state.release(ctx.lease, ctx.mark);
  } catch {
    // The failure that led here is the one to report; the lease runs out by itself.
  }
}
