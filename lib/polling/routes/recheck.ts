import { ask, isTrusted, MOST_SILENT } from "../contents/confirm.ts";
import type { Allowance, PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { firstSeenBy, nextRecheck } from "../ledger/open-checks.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { classOf, type Run, readRecord } from "../model/records.ts";
import { emitRuns } from "../publish/emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";

/** Open responses asked about at once. */
const AT_ONCE = 10;

/** Whether operation 9 can tell of an open response that it was completed. */
export function mayRecheck(ctx: Pick<PollContext, "mark">): boolean {
  const { silent, partial } = ctx.mark.confirmation;
  return silent < MOST_SILENT || partial === true || isTrusted(ctx);
}

/** Asks operation 9 for open responses whose time has come. `sought` tells of completed ones that only pages can show. */
export async function recheckOpen(
  ctx: PollContext,
  allowance: Allowance,
): Promise<{ counts: PollCounts; sought: number }> {
  const { state, clock } = ctx.ports;
  const counts = noCounts();
  let sought = 0;
  const asked = new Set<LedgerEntry["id"]>();
  while (allowance.left() > 0 && clock.now() <= ctx.deadline) {
    const most = Math.min(AT_ONCE, Math.ceil(allowance.left()));
    const due = (await state.due(ctx.surveyId, "open", clock.now(), AT_ONCE)).filter(({ id }) => !asked.has(id));
    if (due.length === 0) break;
    const now = await state.entries(
      ctx.surveyId,
      due.map(({ id }) => id),
    );
    // The index lags behind: what went out a moment ago may still stand in it.
    const open = due.filter(({ id }) => now.get(id)?.state === "open");
    for (const { id } of due) asked.add(id);
    const some = open.slice(0, most);
    allowance.spend(some.length);
    const answers = await Promise.all(some.map(async (entry) => ({ entry, run: await runOf(ctx, entry) })));
    const completed = answers.flatMap(({ run }) => (run !== undefined && classOf(run) === "completed" ? [run] : []));
    const still = answers.filter(({ run }) => run === undefined || classOf(run) !== "completed");
    const asOf = clock.now();
    await putBack(
      ctx,
      still.map(({ entry, run }) => ({ ...entry, firstSeen: firstSeenBy(ctx, run, entry.firstSeen ?? asOf) })),
    );
    if (completed.length === 0) continue;
    const isWhole = isTrusted(ctx) && ctx.mark.confirmation.full === true;
    if (isWhole) addCounts(counts, await emitRuns(ctx, completed, "recheck", "operation 9"));
    else {
      sought += completed.length;
      await putBack(
        ctx,
        answers.flatMap(({ entry, run }) => (run !== undefined && completed.includes(run) ? [entry] : [])),
      );
    }
  }
  return { counts, sought };
}

async function runOf(ctx: PollContext, { id }: LedgerEntry): Promise<Run | undefined> {
  if (typeof id !== "number") return undefined;
  const records = await ask(ctx, { responseId: id });
  return records === undefined || records.length === 0
    ? undefined
    : { responseId: id, records: records.map((record) => readRecord(record)) };
}

async function putBack(ctx: PollContext, entries: LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const now = ctx.ports.clock.now();
  await holdLease(ctx);
  await ctx.ports.state.putEntries(
    ctx.surveyId,
    entries.map(({ nextCheck: _, ...entry }) => {
      const next = nextRecheck(ctx, entry.firstSeen ?? now, now);
      return next === undefined ? entry : { ...entry, nextCheck: next };
    }),
  );
}
