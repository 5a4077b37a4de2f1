import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { privateRecord } from "../model/privacy.ts";
import { classOf, digestOf, type ReadRecord, type Run } from "../model/records.ts";
import { keep } from "./kept-records.ts";
import { firstSeenBy, nextRecheck } from "./open-checks.ts";
import { keptUntil } from "./quarantine.ts";

// Ledger entries of what a walk meets that needs no event.

/** An entry for an open response, or one before the floor, as it was judged on this very read of its page. */
export function noted(ctx: PollContext, run: Run): LedgerEntry {
  if (classOf(run) !== "open") return { id: run.responseId, state: "before-floor" };
  const now = ctx.ports.clock.now();
  const firstSeen = firstSeenBy(ctx, run, now);
  const nextCheck = nextRecheck(ctx, firstSeen, now);
  const entry: LedgerEntry = { id: run.responseId, state: "open", firstSeen };
  return nextCheck === undefined ? entry : { ...entry, nextCheck };
}

/** A response whose `completed` cannot be read. */
export async function quarantined(ctx: PollContext, run: Run): Promise<LedgerEntry> {
  const digest = digestOf(run);
  const reason = "unreadable completed";
  const records = run.records.map((record) => privateRecord(record.raw, ctx.source.privacy));
  const kept = await keep(ctx, run.responseId, digest, { records, details: {} });
  ctx.ports.observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: run.responseId, reason });
  const times = { firstSeen: ctx.ports.clock.now(), nextCheck: keptUntil(ctx) };
  return { id: run.responseId, state: "quarantined", digest, count: records.length, reason, ...times, ...kept };
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
    const { digest } = orphan;
    const reason = "unreadable responseId";
    const records = [privateRecord(orphan.raw, ctx.source.privacy)];
    const kept = await orLeave(ctx, () => keep(ctx, id, digest, { records, details: {} }));
    if (kept === undefined) {
      left += 1;
      continue;
    }
    const times = { firstSeen: ctx.ports.clock.now(), nextCheck: keptUntil(ctx) };
    entries.set(id, { id, state: "quarantined", digest, reason, ...times, ...kept });
    ctx.ports.observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: undefined, reason });
  }
  return { entries: [...entries.values()], left };
}

const orphanId = (orphan: ReadRecord): LedgerEntry["id"] => `record-${orphan.digest}`;
