import { ask, MOST_SILENT } from "./confirm.ts";
import { type Allowance, holdLease, type PollContext } from "./context.ts";
import { between, credible, later } from "./dates.ts";
import { emitRuns } from "./emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { classOf, type Run, readRecord } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";

/** Open responses asked about at once. */
const AT_ONCE = 10;

/**
 * When an open response is looked at again: after half its age, and never more often than ticks come; once it is older
 * than the time between two scrubs, these alone look at it.
 */
export function nextRecheck(ctx: Pick<PollContext, "source">, firstSeen: number, now: number): number | undefined {
  const age = now - firstSeen;
  if (age > ctx.source.scrub.every) return undefined;
  return now + Math.max(ctx.source.interval, age / 2);
}

/** Whether operation 9 can tell of an open response that it was completed. */
export function mayRecheck({ mark }: Pick<PollContext, "mark">): boolean {
  return mark.confirmation.silent < MOST_SILENT || mark.confirmation.trusted;
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
    await putBack(
      ctx,
      still.map(({ entry, run }) => ({ ...entry, firstSeen: beganAt(ctx, entry, run) })),
    );
    if (completed.length === 0) continue;
    const { trusted, full } = ctx.mark.confirmation;
    if (trusted && full === true) addCounts(counts, await emitRuns(ctx, completed, "recheck", "operation 9"));
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
    : { responseId: id, records: records.map(readRecord) };
}

/** When an open response was seen first; earlier if its own dates tell that it is older, as a first pass may not have known. */
function beganAt(ctx: PollContext, { firstSeen }: LedgerEntry, run: Run | undefined): number {
  const now = ctx.ports.clock.now();
  const known = firstSeen ?? now;
  const started = run?.records[0]?.startedAt ?? null;
  const newest = later(ctx.newestSeen, ctx.mark.highWater?.completed);
  if (newest === undefined || !credible(newest, now) || !credible(started, now) || started >= newest) return known;
  return Math.min(known, now - between(started, newest));
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
