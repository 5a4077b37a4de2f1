import type { Allowance, PollContext } from "../context.ts";
import { before } from "../model/dates.ts";
import type { Sweep } from "../model/mark.ts";
import { datesOf } from "../model/sort-key.ts";
import { emitFound } from "../publish/emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { isSliceOver, progressFrom } from "./slice.ts";
import { type SurveyStep, surveyWalk } from "./survey-walk.ts";

// Look-backs: the head walk carried on below the head, to depths that double, each at half the frequency of the one before.

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
  if (sweep?.passed === undefined || (sweep.owed ?? 0) > 0) return undefined;
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
 * Begins a sweep behind the place where the head walk ended; nothing is left to do where that read every page. A look-back
 * that is on its way waits until it has ended: else a shallow one would come too late, and a deep one never to its end.
 */
export function beginSweep(ctx: PollContext, level: number): void {
  const { newestSeen, mark } = ctx;
  if (mark.headEnd === undefined) {
    noteLookBack(ctx, levels(ctx.source.lookBack) - 1, ctx.ports.clock.now());
    delete mark.sweep;
    return;
  }
  const outer = mark.sweep;
  const { at, page } = mark.headEnd;
  const newest = newestSeen ?? mark.highWater?.completed;
  mark.sweep = {
    level,
    startedAt: at,
    page,
    ...(newest === undefined || newest === "" ? {} : { newest }),
    ...(outer === undefined ? {} : { outer }),
  };
}

/** Goes on with a look-back as far as the allowance goes. `complete` where it came to the end of the list. */
export async function sweepSlice(ctx: PollContext, sweep: Sweep, allowance: Allowance): Promise<PollCounts> {
  const { mark } = ctx;
  const { page: begun, level } = sweep;
  const before = allowance.left();
  const counts = noCounts();
  let { passed = -1, page } = sweep;
  const progress = progressFrom(begun);
  // What a deletion hides from it the next one finds: proofs would double its cost.
  const steps = surveyWalk(ctx, { order: "desc", from: begun, proves: "contents", triesAgain: true });
  for (;;) {
    const next = await steps.next();
    const step = next.value;
    const emitted = await emitFound(ctx, step.toEmit, "look-back");
    addCounts(counts, emitted);
    addCounts(counts, { found: step.found, quarantined: step.quarantined, left: step.left });
    if (!emitted.unfinished && counts.left === 0) page = step.position;
    if (next.done) {
      counts.complete = next.value.kind === "end" && !next.value.isEmpty;
      break;
    }
    while (passed < level && reaches(ctx, sweep, passed + 1, step)) passed += 1;
    if (passed >= 0) noteLookBack(ctx, passed, sweep.startedAt);
    if (passed >= level || counts.unfinished || isSliceOver(ctx, allowance, progress.beyond(step.position))) break;
  }
  await steps.return(undefined as never);
  const used = before - allowance.left();
  const spent = (sweep.spent ?? 0) + used;
  if (!counts.complete && passed < level) {
    const { owed = 0, ...rest } = sweep;
    const left = owed > used ? { owed: owed - used } : {};
    mark.sweep = { ...rest, page, spent, ...left, ...(passed < 0 ? {} : { passed }) };
    return counts;
  }
  if (counts.complete) noteLookBack(ctx, levels(ctx.source.lookBack) - 1, sweep.startedAt);
  // What reads every page leaves nothing to a deeper one.
  if (counts.complete || sweep.outer === undefined) delete mark.sweep;
  else mark.sweep = { ...sweep.outer, owed: (sweep.outer.owed ?? 0) + spent };
  return counts;
}

/** By date where the list is known to be sorted by one, else by pages: the depth of each level is twice that of the one before. */
function reaches(ctx: PollContext, sweep: Sweep, level: number, step: SurveyStep): boolean {
  const { sortKey } = ctx.mark;
  if (sortKey === undefined || sortKey === "other" || sweep.newest === undefined) return step.page > 2 ** level + 1;
  const depth = Math.min(periodOf(level, ctx.source.lookBack), ctx.source.lookBack.window);
  const oldest = before(sweep.newest, depth);
  const dates = datesOf(sortKey, step.runs, ctx.ports.clock.now());
  return dates.length > 0 && dates.every((date) => date < oldest);
}

/** What there was has just been met: looking back begins to count from here. */
export function noteFirstPass(ctx: PollContext): void {
  noteLookBack(ctx, levels(ctx.source.lookBack) - 1, ctx.ports.clock.now());
}
