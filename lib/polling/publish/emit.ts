import type { Origin } from "../../events/index.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { withoutRecords } from "../ledger/kept-records.ts";
import type { EmitCounts } from "../model/emit-counts.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { type Candidate, type Found, fromFound, fromWaiting } from "./candidate.ts";
import { createPipeline } from "./pipeline.ts";
import { oldestFirst, prepare } from "./prepare.ts";
import { batchLength, MOST_IN_VAIN, publishBatch } from "./publish-batch.ts";

/** Responses that are confirmed together. */
const AT_ONCE = 40;
/** Of these so many are still on their way when the next ones are begun: some that are slow to come, and a batch that is not full. */
const SLOW = 18;
/** The same beyond the deadline: they must go out before the invocation is ended, or the next one would come no further. */
const FEW = 8;

/** Responses that a walk has found: oldest first, each one event, each in the ledger when this resolves, but for those that are left. */
export async function emitFound(ctx: PollContext, found: Found[], origin: Origin): Promise<EmitCounts> {
  const { clock } = ctx.ports;
  const candidates = found.map((one) => fromFound(ctx, one, origin)).sort(oldestFirst(clock.now()));
  // One request to the bus at a time: of each that is cut off ten events may come twice.
  const pipeline = createPipeline(ctx, { mostOnTheWay: SLOW, publishesAtOnce: 1 });
  let unfinished = false;
  let hasFailed = false;
  for (let i = 0; i < candidates.length && !unfinished && !hasFailed; ) {
    const isLate = clock.now() > ctx.deadline;
    // The first ones always go out: however short the time is, something gets done in it.
    unfinished = i > 0 && isLate;
    const some = unfinished ? [] : candidates.slice(i, i + (isLate ? FEW : AT_ONCE));
    i += some.length;
    // What has failed is thrown below, once nothing is on its way any more.
    const begun = pipeline.take(0, some).then(pipeline.begun);
    hasFailed = await begun.then(
      () => false,
      () => true,
    );
  }
  return { ...(await pipeline.end()), unfinished };
}

/**
 * Waiting responses whose next attempt is due: their records were kept, so the list is not needed again. What is left stays due. The
 * function that it gives back waits for those whose details are slow to come.
 */
export async function emitWaiting(
  ctx: PollContext,
  entries: LedgerEntry[],
  counts: EmitCounts,
): Promise<() => Promise<void>> {
  const candidates: Candidate[] = [];
  for (const entry of entries) {
    if (entry.state !== "waiting") continue;
    const kept = await orLeave(ctx, async () => ({ candidate: await fromWaiting(ctx, entry) }));
    if (kept === undefined) counts.left += 1;
    else if (kept.candidate !== undefined) candidates.push(kept.candidate);
    else await ctx.ports.state.putEntries(ctx.surveyId, [withoutRecords(entry, ctx.ports.clock.now())]);
  }
  const groups = emit(ctx, candidates, counts);
  for (let group = await groups.next(); group.done !== true && group.value > 0; ) group = await groups.next();
  return () => toEnd(groups);
}

/** Publishes the candidates group by group, as their details come, and adds to `counts` what becomes of them. Gives the size of each group. */
async function* emit(
  ctx: PollContext,
  candidates: Candidate[],
  counts: EmitCounts,
): AsyncGenerator<number, void, undefined> {
  for await (const { ready, ...group } of prepare(ctx, candidates)) {
    counts.waiting += group.waiting;
    counts.left += group.left;
    let inVain = 0;
    while (ready.length > 0 && inVain < MOST_IN_VAIN) {
      const batch = ready.splice(0, batchLength(ready));
      const { published, quarantined, left } = await publishBatch(ctx, batch);
      counts.emitted += published;
      counts.quarantined += quarantined;
      counts.left += left.length;
      inVain = left.length === batch.length ? inVain + 1 : 0;
    }
    counts.left += ready.length;
    yield group.candidates;
  }
}

async function toEnd(groups: AsyncGenerator<number>): Promise<void> {
  for await (const _ of groups);
}
