import { credible, latestInstant } from "../../events/build/date-string.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { privateRecord } from "../model/privacy.ts";
import { classOf, digestOf, type ReadRecord, type Run, startedAt } from "../model/records.ts";
import { keep } from "./kept-records.ts";
import { keptUntil } from "./quarantine.ts";

// Ledger entries of what a walk meets that needs no event.

/** An entry for an open response, or one of history, as it was judged on this very read of its page. */
export function noted(ctx: PollContext, run: Run): LedgerEntry {
  if (classOf(run) !== "open") return { id: run.responseId, state: "before-floor" };
  const now = ctx.ports.clock.now();
  const firstSeen = firstSeenBy(ctx, run, now);
  return { id: run.responseId, state: "open", firstSeen, nextCheck: nextRecheck(ctx, firstSeen, now) };
}

/**
 * When an open response is looked at again: after half its age, and never more often than ticks come. Full passes alone look at one that is older than the time
 * between two of them.
 */
export function nextRecheck(ctx: Pick<PollContext, "source">, firstSeen: number, now: number): number | undefined {
  const age = now - firstSeen;
  if (age > ctx.source.rescan.full) return undefined;
  return now + Math.max(ctx.source.interval, age / 2);
}

/**
 * When an open response was seen first, in epoch milliseconds. One that was there before counts from its own start, where that is earlier in any zone. No other
 * date has a say: one that is ahead would make all of them old.
 */
export function firstSeenBy({ ports }: Pick<PollContext, "ports">, run: Run | undefined, known: number): number {
  const started = run === undefined ? null : startedAt(run);
  return credible(started, ports.clock.now()) ? Math.min(known, latestInstant(started)) : known;
}

/** A response whose `completed` cannot be read. */
export async function quarantined(ctx: PollContext, run: Run): Promise<LedgerEntry> {
  return quarantine(ctx, { id: run.responseId, digest: digestOf(run), reason: "unreadable completed" }, run.records);
}

/** Entries for records without a readable responseId, each once, and how many are left. The rest of their page goes on. */
export async function orphanEntries(
  ctx: PollContext,
  orphans: ReadRecord[],
): Promise<{ entries: LedgerEntry[]; left: number }> {
  if (orphans.length === 0) return { entries: [], left: 0 };
  const known = await ctx.ports.state.entries(ctx.surveyId, [...new Set(orphans.map(orphanId))].slice(0, 100));
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  let left = 0;
  for (const orphan of orphans) {
    const id = orphanId(orphan);
    if (known.has(id) || entries.has(id)) continue;
    const what = { id, digest: orphan.digest, reason: "unreadable responseId" };
    const entry = await orLeave(ctx, () => quarantine(ctx, what, [orphan]));
    if (entry === undefined) left += 1;
    else entries.set(id, entry);
  }
  return { entries: [...entries.values()], left };
}

/** Keeps the records of what cannot be read, and gives its entry. */
async function quarantine(
  ctx: PollContext,
  { id, digest, reason }: { id: LedgerEntry["id"]; digest: string; reason: string },
  read: ReadRecord[],
): Promise<LedgerEntry> {
  const records = read.map(({ raw }) => privateRecord(raw, ctx.source.privacy));
  const kept = await keep(ctx, id, digest, { records, details: {} });
  const responseId = typeof id === "number" ? id : undefined;
  ctx.ports.observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId, reason });
  const times = { firstSeen: ctx.ports.clock.now(), nextCheck: keptUntil(ctx) };
  return { id, state: "quarantined", digest, count: records.length, reason, ...times, ...kept };
}

const orphanId = (orphan: ReadRecord): LedgerEntry["id"] => `record-${orphan.digest}`;
