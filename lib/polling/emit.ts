import type { Origin } from "../events/index.ts";
import { buildEvent } from "./build-event.ts";
import { type Candidate, fromRun, fromWaiting, type JoinedBy, waitingEntry } from "./candidate.ts";
import { confirm } from "./confirm.ts";
import { holdLease, type PollContext } from "./context.ts";
import { credible } from "./dates.ts";
import { enrich } from "./enrich.ts";
import type { PublishFailedError } from "./errors.ts";
import { isSpared } from "./outage-watch.ts";
import { batchLength, publishBatch, type Ready } from "./publish-batch.ts";
import type { Run } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";

export interface EmitCounts {
  /** Not confirmed yet: left for a later scan. */
  held: number;
  emitted: number;
  waiting: number;
  quarantined: number;
  /** New responses dealt with. */
  found: number;
  /** Events that were short and have been replaced. */
  repaired: number;
  /** Whether the time was up before all were dealt with. */
  unfinished: boolean;
}

const nothing = (): EmitCounts => ({
  held: 0,
  emitted: 0,
  waiting: 0,
  quarantined: 0,
  found: 0,
  repaired: 0,
  unfinished: false,
});

/** Responses whose metrics and metadata are asked for before the first of them is published. */
const AT_ONCE = 40;
/** The same beyond the deadline: they must go out before the invocation is ended, or the next one would come no further. */
const FEW = 8;

/** Responses that a scan found whole: oldest first, each one event, each in the ledger when this resolves. */
export async function emitRuns(ctx: PollContext, runs: Run[], origin: Origin, joined?: JoinedBy): Promise<EmitCounts> {
  const now = ctx.ports.clock.now();
  const candidates = runs.map((run) => fromRun(ctx, run, origin, { joined })).sort(oldestFirst(now));
  const counts = nothing();
  for (let i = 0; i < candidates.length; ) {
    const isLate = ctx.ports.clock.now() > ctx.deadline;
    // The first ones always go out: however short the time is, something gets done in it.
    if (i > 0 && isLate) {
      counts.unfinished = true;
      break;
    }
    const some = candidates.slice(i, i + (isLate ? FEW : AT_ONCE));
    i += some.length;
    const confirmed = joined === undefined ? await confirm(ctx, some) : some;
    counts.held += some.length - confirmed.length;
    const failure = await emit(ctx, confirmed, counts);
    if (failure !== undefined) throw failure;
  }
  counts.found = counts.emitted + counts.waiting + counts.quarantined;
  return counts;
}

/**
 * Waiting responses whose next attempt is due: their records were kept, so the list is not needed again. One whose event the bus
 * does not take, or whose records cannot be read, stays due and keeps nothing else back: that is the `failure`, yet to be reported.
 */
export async function emitWaiting(
  ctx: PollContext,
  entries: LedgerEntry[],
): Promise<{ counts: EmitCounts; failure: unknown }> {
  const candidates: Candidate[] = [];
  let unread: unknown;
  for (const entry of entries) {
    if (entry.state !== "waiting") continue;
    let candidate: Candidate | undefined;
    try {
      candidate = await fromWaiting(ctx, entry);
    } catch (error) {
      unread ??= error;
      continue;
    }
    if (candidate !== undefined) candidates.push(candidate);
    else await ctx.ports.state.putEntries(ctx.surveyId, [withoutRecords(entry, ctx.ports.clock.now())]);
  }
  const counts = nothing();
  const failure = await emit(ctx, candidates, counts);
  return { counts, failure: failure ?? unread };
}

/** Without its records it cannot go out: as an open one it is new again to the next scan that meets it, or to a re-check at once. */
function withoutRecords({ id }: LedgerEntry, now: number): LedgerEntry {
  return { id, state: "open", reason: "kept-records-gone", firstSeen: now, nextCheck: now };
}

/** A response whose event was short, with all its records. */
export interface Repair {
  run: Run;
  /** The ledger's entry of the event that is to be replaced. */
  entry: LedgerEntry;
}

/** Replaces events that were short by a further revision each. */
export async function emitRepairs(
  ctx: PollContext,
  repairs: Repair[],
  origin: Origin,
  joined: JoinedBy,
): Promise<number> {
  if (repairs.length === 0) return 0;
  const candidates = repairs.map(({ run, entry }) => fromRun(ctx, run, origin, { joined, replaces: entry }));
  const counts = nothing();
  const failure = await emit(ctx, candidates, counts);
  if (failure !== undefined) throw failure;
  const done = ctx.mark.repairs ?? { once: 0, again: 0 };
  ctx.mark.repairs = done;
  const again = repairs.filter(({ entry }) => (entry.revision ?? 1) > 1).length;
  done.once += counts.emitted - Math.min(again, counts.emitted);
  done.again += Math.min(again, counts.emitted);
  if (counts.emitted > 0) ctx.ports.observe({ kind: "repaired", surveyId: ctx.surveyId, count: counts.emitted });
  return counts.emitted;
}

/** Requests in a row of which the bus takes nothing: from then on it is not a matter of some event. */
const MOST_IN_VAIN = 2;

/** Adds what becomes of the candidates to `counts`. What the bus does not take keeps the others from nothing: it is given back. */
async function emit(
  ctx: PollContext,
  candidates: Candidate[],
  counts: EmitCounts,
): Promise<PublishFailedError | undefined> {
  const usual = { ...ctx.mark.absent };
  const ready: Ready[] = [];
  const waiting: LedgerEntry[] = [];
  const retried: LedgerEntry[] = [];
  let spared = 0;
  await Promise.all(
    candidates.map(async (candidate) => {
      const patience = begun(candidate, ctx.ports.clock.now());
      const found = await enrich(ctx, candidate.responseId, candidate.details, patience, usual);
      const enriched = { ...candidate, patience, details: found.details };
      const { replaces } = candidate;
      if (replaces !== undefined) {
        const missing = missingOfRepair(candidate, found.reasons);
        const asked = !found.reasons.some(isSpared);
        if (missing === undefined) retried.push({ ...replaces, attempts: patience.attempts + (asked ? 1 : 0) });
        else ready.push(await seal(ctx, enriched, [...found.missing, ...missing]));
      } else if (found.reasons.length === 0) ready.push(await seal(ctx, enriched, found.missing));
      // Hundreds may be spared at every tick: their entries are as they were, and due still.
      else if (!found.asked && patience.used !== undefined) spared += 1;
      else waiting.push(await waitingEntry(ctx, enriched, found.reasons));
    }),
  );
  if (waiting.length > 0) {
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, waiting);
  }
  const count = waiting.length + spared;
  counts.waiting += count;
  if (count > 0) ctx.ports.observe({ kind: "waiting", surveyId: ctx.surveyId, count });
  if (retried.length > 0) await ctx.ports.state.putEntries(ctx.surveyId, retried);
  ready.sort(oldestFirst(ctx.ports.clock.now()));
  let failure: PublishFailedError | undefined;
  let inVain = 0;
  while (ready.length > 0 && inVain < MOST_IN_VAIN) {
    const outcome = await publishBatch(ctx, ready.splice(0, batchLength(ready)));
    counts.emitted += outcome.published;
    counts.quarantined += outcome.quarantined;
    failure ??= outcome.failure;
    inVain = outcome.published + outcome.quarantined === 0 ? inVain + 1 : 0;
  }
  return failure;
}

const revisionOf = ({ replaces }: Candidate): number => (replaces === undefined ? 1 : (replaces.revision ?? 1) + 1);

/** Attempts after which a repair goes out without what cannot be had. */
const MOST_REPAIRS = 3;

/**
 * What a repair goes out without; undefined when it is to be tried again by a later scan: the ledger says emitted and
 * must go on saying so, so that it cannot wait as others do.
 */
function missingOfRepair({ patience }: Candidate, reasons: string[]): string[] | undefined {
  const failed = reasons.filter((reason) => !reason.endsWith(":absent"));
  const isOver = patience.attempts + 1 >= MOST_REPAIRS && !failed.some(isSpared);
  if (failed.length > 0 && !isOver) return undefined;
  return reasons.map((reason) => (failed.includes(reason) ? reason.replace(/:.*/, ":gave-up") : reason));
}

/** Absence is judged from the first time on that its details were asked for: much may lie between that and its page. */
function begun({ patience }: Candidate, now: number): Candidate["patience"] {
  return patience.attempts === 0 ? { ...patience, firstSeen: now } : patience;
}

function oldestFirst(now: number): (a: Candidate, b: Candidate) => number {
  const date = (item: Candidate): string => (credible(item.completed, now) ? item.completed : "");
  return (a, b) => (date(a) === date(b) ? a.responseId - b.responseId : date(a) < date(b) ? -1 : 1);
}

async function seal(ctx: PollContext, candidate: Candidate, missing: string[]): Promise<Ready> {
  const time = ctx.ports.clock.now();
  const detail = buildEvent({
    sourceName: ctx.source.name,
    surveyId: ctx.surveyId,
    responseId: candidate.responseId,
    records: candidate.records,
    metrics: candidate.details.metrics,
    metadata: candidate.details.metadata,
    missing,
    origin: candidate.origin,
    revision: revisionOf(candidate),
    detectedAt: time,
    timeZone: ctx.source.timeZone,
  });
  const event = { detail, time };
  return { ...candidate, event, sealed: await ctx.ports.publisher.seal(event) };
}
