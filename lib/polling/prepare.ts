import { buildEvent } from "./build-event.ts";
import { byItself } from "./by-itself.ts";
import { type Candidate, waitingEntry } from "./candidate.ts";
import { holdLease, type PollContext } from "./context.ts";
import { credible } from "./dates.ts";
import type { EmitCounts } from "./emit-counts.ts";
import { enrich } from "./enrich.ts";
import { isSpared } from "./outage-watch.ts";
import type { Ready } from "./publish-batch.ts";
import type { LedgerEntry } from "./state-types.ts";

/**
 * Asks for the metrics and metadata of responses, all at once, and makes their events, oldest first. Those of which
 * something cannot be had yet are noted as waiting; those that cannot be noted, or have no place for their answers, are left. Both
 * is added to `counts`.
 */
export async function prepare(ctx: PollContext, candidates: Candidate[], counts: EmitCounts): Promise<Ready[]> {
  const usual = { ...ctx.mark.absent };
  const ready: Ready[] = [];
  const waiting: LedgerEntry[] = [];
  const retried: LedgerEntry[] = [];
  let spared = 0;
  const settle = async (candidate: Candidate): Promise<true> => {
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
    return true;
  };
  // Whatever fails for all of them: nothing is on its way any more when this one is over.
  const settled = await Promise.allSettled(candidates.map((candidate) => byItself(ctx, () => settle(candidate))));
  for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
  counts.left += settled.filter((outcome) => outcome.status === "fulfilled" && outcome.value === undefined).length;
  if (waiting.length > 0) {
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, waiting);
  }
  const count = waiting.length + spared;
  counts.waiting += count;
  if (count > 0) ctx.ports.observe({ kind: "waiting", surveyId: ctx.surveyId, count });
  if (retried.length > 0) {
    // By now someone else may have repaired them.
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, retried);
  }
  return ready.sort(oldestFirst(ctx.ports.clock.now()));
}

const revisionOf = ({ replaces }: Candidate): number => (replaces === undefined ? 1 : (replaces.revision ?? 1) + 1);

/** Attempts after which a repair goes out without what cannot be had. */
const MOST_REPAIRS = 3;

/**
 * What a repair goes out without; undefined when it is to be tried again by a later scan: the ledger says emitted and
 * must go on saying so, so that it cannot wait as others do.
 */
function missingOfRepair({ patience }: Candidate, reasons: string[]): string[] | undefined {
  const isOver = patience.attempts + 1 >= MOST_REPAIRS && !reasons.some(isSpared);
  // What is absent now may have been there when the event went out that is replaced: that is no more certain than a failure.
  if (reasons.length > 0 && !isOver) return undefined;
  return reasons.map((reason) => (reason.endsWith(":absent") ? reason : reason.replace(/:.*/, ":gave-up")));
}

/** Absence is judged from the first time on that its details were asked for: much may lie between that and its page. */
function begun({ patience }: Candidate, now: number): Candidate["patience"] {
  return patience.attempts === 0 ? { ...patience, firstSeen: now } : patience;
}

export function oldestFirst(now: number): (a: Candidate, b: Candidate) => number {
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
