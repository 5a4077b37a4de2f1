import type { Origin } from "../../events/index.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { withoutRecords } from "../ledger/kept-records.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { PollCounts } from "../model/poll-counts.ts";
import { type Candidate, type Found, fromFound, fromWaiting, oldestFirst } from "./candidate.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";

/** Responses that are confirmed together. */
const AT_ONCE = 40;
/** Responses still on their way when the next ones are begun: some that are slow to come, and a batch that is not full. */
const SLOW = 28;
/** The same beyond the deadline. These must go out before the invocation ends, or the next one would come no further. */
const FEW = 8;

/** Responses that a walk has found: oldest first, each one event, each in the ledger when this resolves, but for those that are left. */
export async function emitFound(ctx: PollContext, found: Found[], origin: Origin): Promise<PollCounts> {
  const { clock } = ctx.ports;
  const candidates = found.map((one) => fromFound(ctx, one, origin)).sort(oldestFirst);
  const pipeline = createPipeline(ctx, SLOW);
  let unfinished = false;
  try {
    for (let i = 0; i < candidates.length && !unfinished; ) {
      const isLate = clock.now() > ctx.deadline;
      // The first ones always go out: however short the time is, something gets done in it.
      unfinished = i > 0 && isLate;
      const some = unfinished ? [] : candidates.slice(i, i + (isLate ? FEW : AT_ONCE));
      i += some.length;
      await pipeline.take(0, some);
    }
  } catch {
    // The end throws it once more, when nothing is on its way any more.
  }
  return { ...(await pipeline.end()), unfinished };
}

/**
 * Waiting responses whose next attempt is due: their records were kept, so the list is not needed again. Gives how many are left to the next poll. A response that
 * cannot be taken out stays due. One whose records are gone is new to the next walk that meets it.
 */
export async function takeWaiting(ctx: PollContext, pipeline: Pipeline, entries: LedgerEntry[]): Promise<number> {
  const candidates: Candidate[] = [];
  let left = 0;
  for (const entry of entries) {
    const kept = await orLeave(ctx, async () => ({ candidate: await fromWaiting(ctx, entry) }));
    if (kept?.candidate !== undefined) {
      candidates.push(kept.candidate);
      continue;
    }
    left += 1;
    if (kept !== undefined)
      await ctx.ports.state.putEntries(ctx.surveyId, [withoutRecords(entry, ctx.ports.clock.now())]);
  }
  await pipeline.take(0, candidates);
  return left;
}
