import type { Origin } from "../events/index.ts";
import { buildEvent } from "./build-event.ts";
import { confirm } from "./confirm.ts";
import { holdLease, type PollContext } from "./context.ts";
import { credible, later } from "./dates.ts";
import { type Details, enrich, type Patience } from "./enrich.ts";
import { PublishFailedError } from "./errors.ts";
import { type Kept, keep, takeOut } from "./kept-records.ts";
import type { OutgoingEvent, SealedEvent } from "./ports.ts";
import { privateRecord } from "./privacy.ts";
import { completedAt, digestOf, type Run, readRecord } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";

/** A response that is whole, on its way to its event. */
interface Candidate {
  responseId: number;
  digest: string;
  records: unknown[];
  completed: string | null;
  origin: Origin;
  patience: Patience;
  details: Details;
}

interface Ready extends Candidate {
  event: OutgoingEvent;
  sealed: SealedEvent;
}

/** A request to the bus holds at most 10 entries and 1 MB; a tenth of that is left for what surrounds the details. */
const MOST_ENTRIES = 10;
const MOST_BYTES = 900_000;

export interface EmitCounts {
  /** Not confirmed yet: left for a later scan. */
  deferred: number;
  emitted: number;
  waiting: number;
  quarantined: number;
}

/** Responses that a scan found whole: oldest first, each one event, each in the ledger when this resolves. */
export async function emitRuns(ctx: PollContext, runs: Run[], origin: Origin): Promise<EmitCounts> {
  const firstSeen = ctx.ports.clock.now();
  const candidates: Candidate[] = runs.map((run) => ({
    responseId: run.responseId,
    digest: digestOf(run),
    records: run.records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    completed: completedAt(run),
    origin,
    patience: { firstSeen, attempts: 0 },
    details: {},
  }));
  const confirmed = await confirm(ctx, candidates);
  const counts = await emit(ctx, confirmed);
  return { ...counts, deferred: candidates.length - confirmed.length };
}

/** Waiting responses whose next attempt is due: their records were kept, so the list is not needed again. */
export async function emitWaiting(ctx: PollContext, entries: LedgerEntry[]): Promise<EmitCounts> {
  const candidates: Candidate[] = [];
  for (const entry of entries) {
    if (entry.state !== "waiting" || typeof entry.id !== "number") continue;
    const kept = await takeOut(ctx, entry);
    if (kept === undefined) {
      // Without its records it cannot go out: as an open one it is new again to the next scan that meets it.
      await ctx.ports.state.putEntries(ctx.surveyId, [{ id: entry.id, state: "open", reason: "kept-records-gone" }]);
      continue;
    }
    const run: Run = { responseId: entry.id, records: kept.records.map(readRecord) };
    candidates.push({
      responseId: entry.id,
      digest: entry.digest ?? digestOf(run),
      records: kept.records,
      completed: completedAt(run),
      origin: entry.origin ?? "recheck",
      patience: { firstSeen: entry.firstSeen ?? ctx.ports.clock.now(), attempts: entry.attempts ?? 1 },
      details: kept.details,
    });
  }
  return emit(ctx, candidates);
}

async function emit(ctx: PollContext, candidates: Candidate[]): Promise<EmitCounts> {
  const counts: EmitCounts = { deferred: 0, emitted: 0, waiting: 0, quarantined: 0 };
  const ready: Ready[] = [];
  const waiting: LedgerEntry[] = [];
  await Promise.all(
    candidates.map(async (candidate) => {
      const found = await enrich(ctx, candidate.responseId, candidate.details, candidate.patience);
      const enriched = { ...candidate, details: found.details };
      if (found.ready) ready.push(await seal(ctx, enriched, found.missing));
      else waiting.push(await waitingEntry(ctx, enriched, found.reason));
    }),
  );
  if (waiting.length > 0) {
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, waiting);
    counts.waiting = waiting.length;
    ctx.ports.observe({ kind: "waiting", surveyId: ctx.surveyId, count: waiting.length });
  }
  ready.sort(oldestFirst(ctx.ports.clock.now()));
  while (ready.length > 0) {
    await publishBatch(ctx, ready.splice(0, batchLength(ready)), counts);
  }
  return counts;
}

function oldestFirst(now: number): (a: Candidate, b: Candidate) => number {
  const date = (item: Candidate): string => (credible(item.completed, now) ? item.completed : "");
  return (a, b) => (date(a) === date(b) ? a.responseId - b.responseId : date(a) < date(b) ? -1 : 1);
}

/** How many of the first events go into one request: at most 10 and 900 KB, and always one. */
function batchLength(ready: Ready[]): number {
  let bytes = 0;
  let length = 0;
  for (const { sealed } of ready) {
    bytes += sealed.bytes;
    if (length > 0 && (length >= MOST_ENTRIES || bytes > MOST_BYTES)) break;
    length += 1;
  }
  return length;
}

async function seal(ctx: PollContext, candidate: Candidate, missing: string[]): Promise<Ready> {
  const event = toEvent(ctx, candidate, missing);
  return { ...candidate, event, sealed: await ctx.ports.publisher.seal(event) };
}

function toEvent(ctx: PollContext, candidate: Candidate, missing: string[]): OutgoingEvent {
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
    detectedAt: time,
    timeZone: ctx.source.timeZone,
  });
  return { detail, time };
}

async function waitingEntry(ctx: PollContext, candidate: Candidate, reason: string | undefined): Promise<LedgerEntry> {
  const now = ctx.ports.clock.now();
  const attempts = candidate.patience.attempts + 1;
  const absentAt = candidate.patience.firstSeen + ctx.source.absentAfter;
  // Absence is settled at a known moment; a failure is asked about again at growing distances.
  const onlyAbsent = reason !== undefined && !/:(?!absent)/.test(reason);
  const backOff = Math.min(ctx.source.enrichmentPatience / 2, 5_000 * 2 ** (attempts - 1));
  const kept: Kept = { records: candidate.records, details: candidate.details };
  return {
    id: candidate.responseId,
    state: "waiting",
    digest: candidate.digest,
    count: candidate.records.length,
    firstSeen: candidate.patience.firstSeen,
    attempts,
    origin: candidate.origin,
    nextCheck: onlyAbsent ? Math.max(absentAt, now) : now + backOff,
    ...(reason === undefined ? {} : { reason }),
    ...(await keep(ctx, candidate.responseId, candidate.digest, kept)),
  };
}

/** Publishes one batch, then writes its ledger entries; only then is it settled. */
async function publishBatch(ctx: PollContext, batch: Ready[], counts: EmitCounts): Promise<void> {
  const { clock, publisher, state, observe } = ctx.ports;
  const outcomes = await publisher.publish(
    batch.map((item) => item.sealed),
    () => holdLease(ctx),
  );
  const entries: LedgerEntry[] = [];
  let published = 0;
  let failure: string | undefined;
  for (const [i, item] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined || outcome.kind === "failed") {
      failure = outcome?.code ?? "UNKNOWN";
    } else if (outcome.kind === "published") {
      entries.push(emittedEntry(item));
      published += 1;
      raiseHighWater(ctx, item);
    } else {
      entries.push(await refusedEntry(ctx, item, outcome.code));
      counts.quarantined += 1;
      observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: item.responseId, reason: outcome.code });
    }
  }
  try {
    if (entries.length > 0) await state.putEntries(ctx.surveyId, entries);
  } catch (error) {
    // They are published: the mark holds them, and nothing more is published before they are in the ledger.
    ctx.mark.pending = [...(ctx.mark.pending ?? []), ...entries];
    await state.saveMark(ctx.lease, ctx.mark);
    throw error;
  }
  counts.emitted += published;
  observe({
    kind: "emitted",
    surveyId: ctx.surveyId,
    count: published,
    origin: batch[0]?.origin ?? "head",
    lag: lagOf(batch, clock.now()),
  });
  if (failure !== undefined) {
    throw new PublishFailedError(`the event bus did not take every event (${failure})`, {
      retryable: true,
      hint: "Nothing is lost: they are published at the next tick. Look at the bus's quota and the function's permissions.",
    });
  }
}

/** Milliseconds since the oldest of the batch was completed; unknown without a time zone. */
function lagOf(batch: Ready[], now: number): number | undefined {
  const at = batch[0]?.event.detail.data.response.completed.at;
  return at === undefined ? undefined : Math.max(0, now - Date.parse(at));
}

function emittedEntry(item: Ready): LedgerEntry {
  const { eventId, revision } = item.event.detail.meta;
  return { id: item.responseId, state: "emitted", digest: item.digest, count: item.records.length, eventId, revision };
}

async function refusedEntry(ctx: PollContext, item: Ready, code: string): Promise<LedgerEntry> {
  const kept: Kept = { records: item.records, details: item.details };
  return {
    id: item.responseId,
    state: "quarantined",
    digest: item.digest,
    count: item.records.length,
    reason: `bus:${code}`,
    firstSeen: item.patience.firstSeen,
    ...(await keep(ctx, item.responseId, item.digest, kept)),
  };
}

function raiseHighWater(ctx: PollContext, item: Ready): void {
  const { highWater } = ctx.mark;
  const completed = credible(item.completed, ctx.ports.clock.now()) ? item.completed : "";
  ctx.mark.highWater = {
    responseId: Math.max(item.responseId, highWater?.responseId ?? 0),
    completed: later(completed, highWater?.completed) ?? "",
  };
}
