import { LEASE_DURATION, type PollContext, type PollingSource, underLease } from "./context.ts";
import { emitWaiting } from "./emit.ts";
import { LeaseLostError } from "./errors.ts";
import { firstPass, type Presence } from "./first-pass.ts";
import { headScan } from "./head-scan.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./poll-counts.ts";
import type { Ports } from "./ports.ts";
import type { Books, LedgerEntry } from "./state-types.ts";
import { stream } from "./stream.ts";

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
  /** Largest of the counts that the survey list shows. */
  listedCount: number;
  shortPageEnds: boolean | undefined;
  /** Pages that the head scan reads even though they hold nothing new. */
  depth: number;
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
      /** Whether it was part of a pass over several polls. */
      resumed: boolean;
      shortPageEnds: boolean | undefined;
      books: Books | undefined;
      booksOpen: string | undefined;
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
    newestSeen: undefined,
    lost: undefined,
    resumed: lease.mark.floor !== undefined && !lease.mark.firstPassDone,
    depth: request.depth,
  };
  try {
    const counts = await underLease(ctx, () => work(ctx, request.presence));
    const dueAt = await nextDue(ctx, counts);
    await ports.state.release(lease, ctx.mark);
    return {
      kind: "polled",
      counts,
      dueAt,
      newestSeen: ctx.newestSeen,
      resumed: ctx.resumed,
      shortPageEnds: ctx.shortPageEnds,
      books: ctx.mark.books,
      booksOpen: ctx.mark.booksOpen,
    };
  } catch (error) {
    if (error instanceof LeaseLostError) return { kind: "busy" };
    await giveBack(ctx);
    throw error;
  }
}

async function work(ctx: PollContext, presence: Presence): Promise<PollCounts> {
  const { state } = ctx.ports;
  const { pending } = ctx.mark;
  if (pending !== undefined && pending.length > 0) {
    // Published, and not in the ledger yet: before that nothing more may be published.
    await state.putEntries(ctx.surveyId, pending);
    delete ctx.mark.pending;
    await state.saveMark(ctx.lease, ctx.mark);
  }
  const counts = noCounts();
  await emitDue(ctx, counts);

  const position = ctx.mark.stream;
  if (position !== undefined) {
    addCounts(counts, await stream(ctx, position));
    return isClean(counts) ? addCounts(counts, await headScan(ctx)) : counts;
  }
  return addCounts(counts, ctx.mark.firstPassDone ? await headScan(ctx) : await firstPass(ctx, presence));
}

/** Looks at what waits and is due, until there is no more of it or the time is up. */
async function emitDue(ctx: PollContext, counts: PollCounts): Promise<void> {
  const { state, clock } = ctx.ports;
  const seen = new Set<LedgerEntry["id"]>();
  while (clock.now() <= ctx.deadline) {
    const due = (await state.due(ctx.surveyId, "waiting", clock.now(), WAITING_AT_ONCE)).filter(
      ({ id }) => !seen.has(id),
    );
    if (due.length === 0) return;
    for (const { id } of due) seen.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const now = await state.entries(
      ctx.surveyId,
      due.map(({ id }) => id),
    );
    addCounts(
      counts,
      await emitWaiting(
        ctx,
        due.filter(({ id }) => now.get(id)?.state === "waiting"),
      ),
    );
  }
}

async function nextDue(ctx: PollContext, counts: PollCounts): Promise<number | undefined> {
  const now = ctx.ports.clock.now();
  if (counts.unfinished || counts.deferred > 0) return now;
  const moments: number[] = [];
  const next = await ctx.ports.state.nextDue(ctx.surveyId, "waiting");
  if (next !== undefined) moments.push(next);
  // The index may lag behind what was just written.
  if (counts.waiting > 0) moments.push(now + ctx.source.absentAfter);
  if (counts.held > 0) moments.push(now + HELD_FOR);
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
