import pLimit from "p-limit";
import type { Origin } from "../events/index.ts";
import { byItself } from "./by-itself.ts";
import { type Candidate, fromRun, fromWaiting, type JoinedBy } from "./candidate.ts";
import { confirm } from "./confirm.ts";
import type { PollContext } from "./context.ts";
import { type EmitCounts, noEmits } from "./emit-counts.ts";
import { withoutRecords } from "./kept-records.ts";
import { oldestFirst, prepare } from "./prepare.ts";
import { batchLength, MOST_IN_VAIN, publishBatch } from "./publish-batch.ts";
import type { Run } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";

/** Responses whose metrics and metadata are asked for before the first of them is published. */
const AT_ONCE = 40;
/** The same beyond the deadline: they must go out before the invocation is ended, or the next one would come no further. */
export const FEW = 8;

/** Responses that a scan found whole: oldest first, each one event, each in the ledger when this resolves, but for those that are left. */
export async function emitRuns(ctx: PollContext, runs: Run[], origin: Origin, joined?: JoinedBy): Promise<EmitCounts> {
  const now = ctx.ports.clock.now();
  const candidates = runs.map((run) => fromRun(ctx, run, origin, { joined })).sort(oldestFirst(now));
  const counts = noEmits();
  /** What waits for details that are slow to come, while the others go on. */
  const late: Promise<boolean>[] = [];
  /** One request to the bus at a time: of each that is cut off ten events may come twice (I4). */
  const inTurn = pLimit(1);
  let isTaken = true;
  try {
    for (let i = 0; i < candidates.length && isTaken; ) {
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
      const groups = emit(ctx, confirmed, counts, inTurn);
      isTaken = (await groups.next()).value ?? true;
      const rest = toEnd(groups);
      // Looked at below, with what else may have failed by then.
      rest.catch(() => undefined);
      late.push(rest);
    }
  } finally {
    // Whatever has failed: nothing is on its way any more when this is over.
    await Promise.allSettled(late);
  }
  for (const one of await Promise.all(late)) isTaken &&= one;
  if (!isTaken) throw ctx.failure;
  counts.found = counts.emitted + counts.waiting + counts.quarantined;
  return counts;
}

/** Waiting responses whose next attempt is due: their records were kept, so the list is not needed again. What is left stays due. */
export async function emitWaiting(ctx: PollContext, entries: LedgerEntry[]): Promise<EmitCounts> {
  const counts = noEmits();
  const candidates: Candidate[] = [];
  for (const entry of entries) {
    if (entry.state !== "waiting") continue;
    const kept = await byItself(ctx, async () => ({ candidate: await fromWaiting(ctx, entry) }));
    if (kept === undefined) counts.left += 1;
    else if (kept.candidate !== undefined) candidates.push(kept.candidate);
    else await ctx.ports.state.putEntries(ctx.surveyId, [withoutRecords(entry, ctx.ports.clock.now())]);
  }
  await toEnd(emit(ctx, candidates, counts));
  return counts;
}

/** A response whose event was short, with all its records. */
export interface Repair {
  run: Run;
  /** The ledger's entry of the event that is to be replaced. */
  entry: LedgerEntry;
}

/** Replaces events that were short by a further revision each: what is left is as short as it was. */
export async function emitRepairs(
  ctx: PollContext,
  repairs: Repair[],
  origin: Origin,
  joined: JoinedBy,
): Promise<Pick<EmitCounts, "repaired" | "left">> {
  if (repairs.length === 0) return { repaired: 0, left: 0 };
  const candidates = repairs.map(({ run, entry }) => fromRun(ctx, run, origin, { joined, replaces: entry }));
  const counts = noEmits();
  await toEnd(emit(ctx, candidates, counts));
  const done = ctx.mark.repairs ?? { once: 0, again: 0 };
  ctx.mark.repairs = done;
  const again = repairs.filter(({ entry }) => (entry.revision ?? 1) > 1).length;
  done.once += counts.emitted - Math.min(again, counts.emitted);
  done.again += Math.min(again, counts.emitted);
  if (counts.emitted > 0) ctx.ports.observe({ kind: "repaired", surveyId: ctx.surveyId, count: counts.emitted });
  return { repaired: counts.emitted, left: counts.left };
}

/**
 * Adds what becomes of the candidates to `counts`, group by group as their details come. False of a group of which the bus takes nothing: then there is
 * no use in going on.
 */
async function* emit(
  ctx: PollContext,
  candidates: Candidate[],
  counts: EmitCounts,
  inTurn: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): AsyncGenerator<boolean, void, undefined> {
  for await (const { ready, waiting, left } of prepare(ctx, candidates)) {
    counts.waiting += waiting;
    counts.left += left;
    let inVain = 0;
    // Nothing more is published before what the ledger has not taken is in it.
    while (ready.length > 0 && inVain < MOST_IN_VAIN && (ctx.mark.pending ?? []).length === 0) {
      const batch = ready.splice(0, batchLength(ready));
      const { published, quarantined, left } = await inTurn(() => publishBatch(ctx, batch));
      counts.emitted += published;
      counts.quarantined += quarantined;
      counts.left += left.length;
      inVain = left.length === batch.length ? inVain + 1 : 0;
    }
    counts.left += ready.length;
    yield inVain < MOST_IN_VAIN;
  }
}

/** Goes on to the end, whatever the bus takes; whether it took something of each group. */
async function toEnd(groups: AsyncGenerator<boolean>): Promise<boolean> {
  let isTaken = true;
  for await (const group of groups) isTaken &&= group;
  return isTaken;
}
