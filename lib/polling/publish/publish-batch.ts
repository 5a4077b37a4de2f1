import type { PollContext } from "../context.ts";
import { leave, notTaken, orLeave, type PublishFailedError } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { MOST_ENTRIES } from "../ledger/tell.ts";
import { later } from "../model/dates.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { noteFound } from "../model/mark.ts";
import type { OutgoingEvent } from "../model/outgoing-event.ts";
import type { PollCounts } from "../model/poll-counts.ts";
import type { PublishOutcome, SealedEvent } from "../ports.ts";
import { type Candidate, entryOf, isNew, refusedEntry, waitingEntry } from "./candidate.ts";

/** An event with the contents of a response. */
export type ContentsEvent = Extract<OutgoingEvent, { type: "response.completed" | "response.updated" }>;

/** A response whose event is ready for the bus. */
export interface Ready extends Candidate {
  event: ContentsEvent;
  sealed: SealedEvent;
}

/** A request to the bus holds 1 MB; a tenth of that is left for what surrounds the details. */
const MOST_BYTES = 900_000;

/** How many of the first events go into one request: at most 10 and 900 KB, and always one. */
export function batchLength(ready: readonly Pick<Ready, "sealed">[]): number {
  let bytes = 0;
  let length = 0;
  for (const { sealed } of ready) {
    bytes += sealed.bytes;
    if (length > 0 && (length >= MOST_ENTRIES || bytes > MOST_BYTES)) break;
    length += 1;
  }
  return length;
}

/** Whether one request cannot hold more than these events. */
export function isFull(ready: Ready[]): boolean {
  return ready.length >= MOST_ENTRIES || ready.reduce((bytes, { sealed }) => bytes + sealed.bytes, 0) >= MOST_BYTES;
}

/** Batches in a row of which nothing is settled: from then on the bus is at fault, and not some event. */
export const MOST_IN_VAIN = 2;

export interface BatchOutcome {
  /** New events, those that have replaced a short one, those refused for good, and those not taken now, which wait with their records. */
  counts: Pick<PollCounts, "emitted" | "repaired" | "refused" | "waiting">;
  /** Responses that could not even be kept. */
  left: Ready[];
  /** Why the bus did not take all of them. */
  failure?: PublishFailedError | undefined;
}

/** Publishes one batch, then enters it into the ledger: only then is it settled. What is left of it keeps the rest from nothing. */
export async function publishBatch(ctx: PollContext, batch: Ready[]): Promise<BatchOutcome> {
  const { clock, publisher, observe } = ctx.ports;
  // fault: ledger-before-bus
  const outcomes = await publisher.publish(
    batch.map((item) => item.sealed),
    // fault: publish-unguarded
    () => holdLease(ctx),
  );
  // fault: failed-counts-as-published
  const published = batch.filter((_, i) => outcomes[i]?.kind === "published");
  // The ledger comes first: whatever fails from here on, these are not to be published again.
  await enter(ctx, published, clock.now());
  const repaired = noteReplaced(ctx, published);
  const emitted = published.length - repaired;
  if (emitted > 0) {
    const origin = published[0]?.origin ?? "head";
    const at = published[0]?.event.detail.data.response.completed.at;
    // Of the oldest one; unknown without a time zone.
    const lag = at === undefined ? undefined : Math.max(0, clock.now() - Date.parse(at));
    observe({ kind: "emitted", surveyId: ctx.surveyId, count: emitted, origin, lag });
  }

  const result: BatchOutcome = { counts: { emitted, repaired, refused: 0, waiting: 0 }, left: [] };
  for (const [i, item] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome?.kind === "published") continue;
    await noteNotTaken(ctx, item, outcome, result);
  }
  const { waiting } = result.counts;
  if (waiting > 0) observe({ kind: "waiting", surveyId: ctx.surveyId, count: waiting });
  return result;
}

/** Keeps for a redrive what the bus has refused for good. An event that it did not take now waits. A replacement is made again by the pass that finds it missing. */
async function noteNotTaken(
  ctx: PollContext,
  item: Ready,
  outcome: PublishOutcome | undefined,
  result: BatchOutcome,
): Promise<void> {
  const isRefused = outcome?.kind === "refused";
  const code = outcome === undefined || outcome.kind === "published" ? "UNKNOWN" : outcome.code;
  if (!isRefused) {
    result.failure ??= notTaken(code);
    leave(ctx, result.failure);
  }
  if (!isRefused && item.replaces !== undefined) return;
  const entry = await orLeave(ctx, () =>
    isRefused ? refusedEntry(ctx, item, code) : waitingEntry(ctx, item, [`bus:${code}`]),
  );
  if (entry === undefined) {
    result.left.push(item);
    return;
  }
  await ctx.ports.state.putEntries(ctx.surveyId, [entry]);
  noteFound(ctx.mark, isNew(item) ? 1 : 0);
  if (isRefused) {
    result.counts.refused += 1;
    ctx.ports.observe({ kind: "refused", surveyId: ctx.surveyId, responseId: item.responseId, code });
  } else result.counts.waiting += 1;
}

/** Counts the events that have replaced another one; gives how many. */
function noteReplaced({ mark, ports, surveyId }: PollContext, published: Ready[]): number {
  const replaced = published.filter(({ replaces }) => replaces !== undefined);
  if (replaced.length === 0) return 0;
  const short = replaced.filter(({ replaces, records }) => (replaces?.entry.count ?? 0) < records.length);
  const again = short.filter(({ replaces }) => (replaces?.entry.revision ?? 1) > 1).length;
  const { once, again: before } = mark.repairs ?? { once: 0, again: 0 };
  mark.repairs = { once: once + short.length - again, again: before + again };
  ports.observe({ kind: "repaired", surveyId, count: replaced.length });
  return replaced.length;
}

/** @param emittedAt epoch milliseconds */
async function enter(ctx: PollContext, published: Ready[], emittedAt: number): Promise<void> {
  if (published.length === 0) return;
  const { state } = ctx.ports;
  const entries = published.map((item): LedgerEntry => {
    const { eventId, revision } = item.event.detail.meta;
    // fault: update-keeps-old-digest
    return { ...entryOf(item, "emitted"), eventId, revision, emittedAt };
  });
  for (const item of published) raiseHighWater(ctx, item);
  noteFound(ctx.mark, published.filter(isNew).length);
  try {
    await state.putEntries(ctx.surveyId, await notOutdated(ctx, entries));
  } catch (error) {
    // The mark holds them, and nothing more is published before they are in the ledger.
    // fault: pending-forgotten
    ctx.mark.pending = [...(ctx.mark.pending ?? []), ...entries];
    await state.saveMark(ctx.lease, ctx.mark);
    throw error;
  }
  await dropKept(ctx, published);
}

/**
 * The entries without those of which the ledger has a later revision. A process that stood still beyond its lease after a publish may find that another one has
 * published and repaired them since.
 */
async function notOutdated({ ports, lease, surveyId }: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  if (ports.clock.now() < lease.until) return entries;
  const known = await ports.state.entries(
    surveyId,
    entries.map(({ id }) => id),
  );
  return entries.filter(({ id, revision = 1 }) => {
    const there = known.get(id);
    return there?.state !== "emitted" || (there.revision ?? 1) < revision;
  });
}

/** Kept records go only now: until the ledger had the events, these were all there was. An object that cannot be deleted goes with the bucket's own time. */
async function dropKept(ctx: PollContext, published: Ready[]): Promise<void> {
  const keys = published.flatMap(({ keptKey }) => keptKey ?? []);
  await Promise.allSettled(keys.map((key) => ctx.ports.vault.delete(key)));
}

function raiseHighWater(ctx: PollContext, item: Ready): void {
  const { highWater } = ctx.mark;
  ctx.mark.highWater = {
    responseId: Math.max(item.responseId, highWater?.responseId ?? 0),
    completed: later(item.completed, highWater?.completed) ?? "",
  };
}
