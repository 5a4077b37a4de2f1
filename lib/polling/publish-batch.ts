import type { Candidate } from "./candidate.ts";
import { refusedEntry } from "./candidate.ts";
import { holdLease, type PollContext } from "./context.ts";
import { credible, later } from "./dates.ts";
import { PublishFailedError } from "./errors.ts";
import type { OutgoingEvent, SealedEvent } from "./ports.ts";
import type { LedgerEntry } from "./state-types.ts";

/** A response whose event is ready for the bus. */
export interface Ready extends Candidate {
  event: OutgoingEvent;
  sealed: SealedEvent;
}

/** A request to the bus holds at most 10 entries and 1 MB; a tenth of that is left for what surrounds the details. */
const MOST_ENTRIES = 10;
const MOST_BYTES = 900_000;

/** How many of the first events go into one request: at most 10 and 900 KB, and always one. */
export function batchLength(ready: Ready[]): number {
  let bytes = 0;
  let length = 0;
  for (const { sealed } of ready) {
    bytes += sealed.bytes;
    if (length > 0 && (length >= MOST_ENTRIES || bytes > MOST_BYTES)) break;
    length += 1;
  }
  return length;
}

export interface BatchOutcome {
  published: number;
  quarantined: number;
  /** Set when the bus did not take all of it; what it took is in the ledger. */
  failure: PublishFailedError | undefined;
}

/** Publishes one batch, then enters it into the ledger: only then is it settled. */
export async function publishBatch(ctx: PollContext, batch: Ready[]): Promise<BatchOutcome> {
  const { clock, publisher, observe } = ctx.ports;
  const outcomes = await publisher.publish(
    batch.map((item) => item.sealed),
    () => holdLease(ctx),
  );
  const published = batch.filter((_, i) => outcomes[i]?.kind === "published");
  // First of all: whatever fails from here on, these are not to be published again.
  await enter(ctx, published);
  if (published.length > 0) {
    const origin = published[0]?.origin ?? "head";
    const lag = lagOf(published, clock.now());
    observe({ kind: "emitted", surveyId: ctx.surveyId, count: published.length, origin, lag });
  }

  let quarantined = 0;
  let code: string | undefined;
  for (const [i, item] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome?.kind === "refused") {
      await ctx.ports.state.putEntries(ctx.surveyId, [await refusedEntry(ctx, item, outcome.code)]);
      observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: item.responseId, reason: outcome.code });
      quarantined += 1;
    } else if (outcome?.kind !== "published") code = outcome?.code ?? "UNKNOWN";
  }
  return { published: published.length, quarantined, failure: code === undefined ? undefined : notTaken(code) };
}

function notTaken(code: string): PublishFailedError {
  return new PublishFailedError(`the event bus did not take every event (${code})`, {
    retryable: true,
    hint: "Nothing is lost: they are published at the next tick. Look at the bus's quota and the function's permissions.",
  });
}

async function enter(ctx: PollContext, published: Ready[]): Promise<void> {
  if (published.length === 0) return;
  const { state } = ctx.ports;
  const entries = published.map(emittedEntry);
  for (const item of published) raiseHighWater(ctx, item);
  try {
    await state.putEntries(ctx.surveyId, entries);
  } catch (error) {
    // The mark holds them, and nothing more is published before they are in the ledger.
    ctx.mark.pending = [...(ctx.mark.pending ?? []), ...entries];
    await state.saveMark(ctx.lease, ctx.mark);
    throw error;
  }
  await dropKept(ctx, published);
}

/** Only now: until the ledger had them, these were all there was. What cannot be deleted goes with the bucket's own time. */
async function dropKept(ctx: PollContext, published: Ready[]): Promise<void> {
  const keys = published.flatMap(({ keptKey }) => keptKey ?? []);
  await Promise.allSettled(keys.map((key) => ctx.ports.vault.delete(key)));
}

function emittedEntry(item: Ready): LedgerEntry {
  const { eventId, revision } = item.event.detail.meta;
  const digest = item.digest === undefined ? {} : { digest: item.digest };
  return { id: item.responseId, state: "emitted", ...digest, count: item.records.length, eventId, revision };
}

/** Milliseconds since the oldest of the batch was completed; unknown without a time zone. */
function lagOf(batch: Ready[], now: number): number | undefined {
  const at = batch[0]?.event.detail.data.response.completed.at;
  return at === undefined ? undefined : Math.max(0, now - Date.parse(at));
}

function raiseHighWater(ctx: PollContext, item: Ready): void {
  const { highWater } = ctx.mark;
  const completed = credible(item.completed, ctx.ports.clock.now()) ? item.completed : "";
  ctx.mark.highWater = {
    responseId: Math.max(item.responseId, highWater?.responseId ?? 0),
    completed: later(completed, highWater?.completed) ?? "",
  };
}
