import type { Allowance, PollContext } from "../context.ts";
import { before } from "../model/dates.ts";
import type { Sweep } from "../model/mark.ts";
import { datesOf } from "../model/sort-key.ts";
import { headOrder } from "./news-end.ts";
import type { PollCounts } from "./poll-counts.ts";
import { slice } from "./slice.ts";
import type { SurveyStep } from "./survey-scan.ts";

// Look-backs: the head scan carried on below the head, to depths that double, each at half the frequency of the one
// before; and the search below the head for what the counts have shown.

/** Number of depths of look-back: the first is `lookBack.every`, the last reaches the window. */
export function levels({ every, window }: { every: number; window: number }): number {
  return 1 + Math.max(0, Math.ceil(Math.log2(window / every)));
}

/** Milliseconds between two look-backs to the depth of `level`, which is the depth itself as well. */
export function periodOf(level: number, lookBack: { every: number }): number {
  return lookBack.every * 2 ** level;
}

/** The deepest level that is due, if any, up to the level `most`. */
export function dueLevel(ctx: PollContext, most = levels(ctx.source.lookBack) - 1): number | undefined {
  const { lookBack } = ctx.source;
  const now = ctx.ports.clock.now();
  for (let level = most; level >= 0; level -= 1) {
    if ((ctx.mark.lookedBack?.[level] ?? 0) + periodOf(level, lookBack) <= now) return level;
  }
  return undefined;
}

/** Epoch milliseconds at which the next look-back is due. */
export function nextLookBack(ctx: PollContext): number {
  const { lookBack } = ctx.source;
  const all = Array.from({ length: levels(lookBack) }, (_, level) => level);
  return Math.min(...all.map((level) => (ctx.mark.lookedBack?.[level] ?? 0) + periodOf(level, lookBack)));
}

/** The deepest level that is due again while a look-back that has passed its depth is still on its way. */
export function dueAgain(ctx: PollContext): number | undefined {
  const { sweep } = ctx.mark;
  if (sweep?.goal !== "look-back" || sweep.passed === undefined || (sweep.owed ?? 0) > 0) return undefined;
  return dueLevel(ctx, sweep.passed);
}

/** Notes that from `at` (epoch milliseconds) on the list was read down to the depth of `level`, and so to all smaller ones. */
export function noteLookBack(ctx: PollContext, level: number, at: number): void {
  const count = levels(ctx.source.lookBack);
  const earlier = ctx.mark.lookedBack ?? [];
  ctx.mark.lookedBack = Array.from({ length: count }, (_, i) => {
    const before = earlier[i] ?? 0;
    // A deep one that goes on began before the shallow ones meanwhile.
    return i <= level ? Math.max(at, before) : before;
  });
}

/**
 * Begins a sweep behind the place where the head scan ended; nothing is left to do where that read every page. A look-back
 * that is on its way waits until it has ended: else a shallow one would come too late, and a deep one never to its end.
 */
export function beginSweep(ctx: PollContext, goal: Sweep["goal"], level: number): void {
  const { newestSeen, mark } = ctx;
  if (mark.headEnd === undefined) {
    noteLookBack(ctx, levels(ctx.source.lookBack) - 1, ctx.ports.clock.now());
    delete mark.sweep;
    return;
  }
  const outer = mark.sweep?.goal === "look-back" ? mark.sweep : undefined;
  const { at, ...end } = mark.headEnd;
  const newest = newestSeen ?? mark.highWater?.completed;
  mark.sweep = {
    goal,
    level,
    found: 0,
    startedAt: at,
    ...end,
    ...(newest === undefined || newest === "" ? {} : { newest }),
    ...(outer === undefined ? {} : { outer }),
  };
}

export interface Swept {
  /** Of this slice; `complete` when it came to the end of the list. */
  counts: PollCounts;
  /** New responses that the sweep has met so far. */
  found: number;
  /** Whether it has come to its end. */
  ended: boolean;
}

/** Goes on with a sweep as far as the allowance goes; a search ends once it has met `missing` more. */
export async function sweepSlice(
  ctx: PollContext,
  sweep: Sweep,
  allowance: Allowance,
  missing: number,
): Promise<Swept> {
  const isSearch = sweep.goal === "seek";
  const wanted = sweep.found + Math.max(1, missing);
  let { found, passed = -1 } = sweep;
  const before = allowance.left();
  const { counts, position, end, stopped } = await slice(ctx, {
    order: headOrder(ctx.mark),
    from: sweep,
    origin: "look-back",
    // What a deletion hides from it the next one finds: proofs would double its cost.
    prove: "cuts",
    allowance,
    onPage: async (step) => {
      found += step.toEmit.length + step.found;
      if (isSearch) return found >= wanted;
      for (let level = passed + 1; level <= sweep.level && reaches(ctx, sweep, level, step); level += 1) passed = level;
      if (passed >= 0) noteLookBack(ctx, passed, sweep.startedAt);
      return passed >= sweep.level;
    },
  });
  const used = before - allowance.left();
  const spent = (sweep.spent ?? 0) + used;
  if (end === undefined && !stopped) {
    const { edge: _, again: __, owed = 0, ...rest } = sweep;
    const left = owed > used ? { owed: owed - used } : {};
    ctx.mark.sweep = { ...rest, found, spent, ...left, ...(passed < 0 ? {} : { passed }), ...position };
    return { counts, found, ended: false };
  }
  if (end !== undefined) noteLookBack(ctx, levels(ctx.source.lookBack) - 1, sweep.startedAt);
  // What reads every page leaves nothing to a deeper one.
  if (end !== undefined || sweep.outer === undefined) delete ctx.mark.sweep;
  else ctx.mark.sweep = { ...sweep.outer, owed: (sweep.outer.owed ?? 0) + spent };
  counts.complete = end !== undefined;
  return { counts, found, ended: true };
}

/** By date where the list is known to be sorted by one, else by pages: the depth of each level is twice that of the one before. */
function reaches(ctx: PollContext, sweep: Sweep, level: number, step: SurveyStep): boolean {
  const { sortKey } = ctx.mark;
  if (sortKey === undefined || sortKey === "other" || sweep.newest === undefined) return step.page > 2 ** level;
  const depth = Math.min(periodOf(level, ctx.source.lookBack), ctx.source.lookBack.window);
  const oldest = before(sweep.newest, depth);
  const dates = datesOf(sortKey, step.runs, ctx.ports.clock.now());
  return dates.length > 0 && dates.every((date) => date < oldest);
}

/** What there was has just been met: looking back begins to count from here. */
export function noteFirstPass(ctx: PollContext): void {
  noteLookBack(ctx, levels(ctx.source.lookBack) - 1, ctx.ports.clock.now());
}
