import { emptyTally, openBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import type { Allowance, PollContext } from "./context.ts";
import { loadIds } from "./id-set.ts";
import { tailOrder } from "./news-end.ts";
import { dropPass, endPass, keepPass } from "./pass-end.ts";
import { countPieces, loadSurplus } from "./piece-counts.ts";
import { noCounts, type PollCounts } from "./poll-counts.ts";
import { digestOf, type Run } from "./records.ts";
import { repairSuspects } from "./repair.ts";
import { slice } from "./slice.ts";
import { spill, UNPROVED } from "./spill.ts";
import type { Pass } from "./state-types.ts";
import { SEVERAL, type SurveyStep } from "./survey-scan.ts";

/**
 * One slice of a full pass over all pages in asc order: finds whatever every other scan has missed, shows whether
 * records stand together, joins those that do not where operation 9 cannot, and closes the books at the end.
 */
export async function passSlice(
  ctx: PollContext,
  allowance: Allowance,
  { join = false }: { join?: boolean } = {},
): Promise<PollCounts> {
  const { mark } = ctx;
  // A copy: of a slice that fails nothing may be left in the mark, where its ids would be missing.
  const pass = structuredClone(mark.pass ?? newPass(ctx, join || isUnproved(ctx) || mark.short !== undefined));
  const ids = await loadIds(ctx, pass.ids);
  if (ids === undefined) {
    await dropPass(ctx, pass);
    return noCounts();
  }
  const books = openBooks(ids, pass.tally);
  // Only what it has joined is still to go out.
  if (pass.ended === true)
    return endPass(ctx, { pass, books, ids, position: pass, counts: noCounts(), surplus: undefined });
  const from = Math.max(pass.page, pass.redo ?? 0);
  const carried = pass.edge?.carry?.responseId;
  const before = { covered: pass.covered, moved: pass.moved, several: pass.several ?? 0 };
  const scattered = new Map<number, Run>();
  const pieces = new Map<number, Run[]>();
  const counted = new Set<number>();
  const short = new Set(mark.short);
  let surplus = await loadSurplus(ctx, pass);

  const { counts, position, end, redo } = await slice(ctx, {
    order: tailOrder(mark),
    from: pass,
    origin: "scrub",
    prove: "all",
    allowance,
    books,
    joins: pass.spilled !== undefined,
    onPage: async (step) => {
      pass.covered = before.covered && step.covered;
      pass.moved = before.moved || step.moved;
      pass.several = before.several + step.several;
      if (step.apart) pass.scattered = true;
      books.tally.changed += step.changed;
      // A page that is read again after a move takes the place of what it showed first.
      pieces.set(step.page, [...step.pieces, ...step.runs.filter(({ responseId }) => short.has(responseId))]);
      // A page that was counted already, or records that come again, would be counted twice.
      if (pass.moved || step.page <= from || counted.has(step.page)) surplus = undefined;
      counted.add(step.page);
      if (surplus !== undefined) countPieces(surplus, step.runs, step.known);
      if (pass.spilled !== undefined) noteLate(pass, step, books.again);
      const again = step.runs.filter(({ responseId }) => books.again.has(responseId) && responseId !== carried);
      const isFresh = !pass.moved && step.page > from;
      if (isFresh) for (const run of await comeApart(ctx, again)) scattered.set(run.responseId, run);
      return false;
    },
  });
  counts.repaired += await repairSuspects(ctx, [...scattered.values(), ...(end?.scattered ?? [])], "scrub");
  books.tally.found += counts.found;
  books.tally.repaired += counts.repaired;
  if (scattered.size > 0 || end?.suspect === true) pass.scattered = true;
  if (scattered.size > 0) noteScatter(ctx);
  if (pass.spilled !== undefined) await spill(ctx, pass, pieces);
  if (redo === undefined) delete pass.redo;
  else pass.redo = redo;
  if (end === undefined) {
    await keepPass(ctx, { pass, ids, position, surplus });
    return counts;
  }

  pass.covered &&= end.covered;
  pass.moved ||= end.moved;
  const together = !pass.moved && pass.scattered !== true && !end.apart;
  if (together && pass.covered && end.ended && (pass.several ?? 0) >= SEVERAL) {
    mark.contiguous = true;
    mark.confirmation.apart = false;
  }
  return endPass(ctx, { pass, books, ids, position, counts, surplus });
}

function newPass({ mark, ports }: PollContext, join: boolean): Pass {
  const pass: Pass = { page: 0, startedAt: ports.clock.now(), tally: emptyTally(), covered: true, moved: false };
  if (mark.confirmation.apart || mark.contiguous !== true) pass.counted = {};
  return join ? { ...pass, spilled: [] } : pass;
}

/** Responses left to the next pass that a pass keeps: with more of them it joins nothing. */
const MOST_LATE = 1_000;

/**
 * One that an earlier slice has met before it was completed: its records there were not laid aside, and what is met now
 * would seem to be the whole of it.
 */
function noteLate(pass: Pass, step: SurveyStep, again: Set<number>): void {
  const late = new Set(pass.late);
  for (const { responseId } of step.pieces) {
    const entry = step.known(responseId);
    const wasOpen = entry !== undefined && entry.state !== "emitted" && entry.reason !== UNPROVED;
    if (again.has(responseId) && wasOpen) late.add(responseId);
  }
  if (late.size > MOST_LATE) pass.moved = true;
  else if (late.size > 0) pass.late = [...late];
}

/** Responses listed by an earlier slice that come again with other records than those that were emitted. */
async function comeApart(ctx: PollContext, again: Run[]): Promise<Run[]> {
  if (again.length === 0) return [];
  const ids = [...new Set(again.map(({ responseId }) => responseId))];
  const entries = await ctx.ports.state.entries(ctx.surveyId, ids.slice(0, 100));
  return again.filter((run) => {
    const entry = entries.get(run.responseId);
    return entry?.digest === undefined || entry.digest !== digestOf(run);
  });
}

/** The next responses are compared with operation 9 as the first ones were. */
function noteScatter(ctx: PollContext): void {
  const { mark } = ctx;
  // Operation 9 has nothing to say: what is new is held already, and joined by passes.
  if (isUnproved(ctx)) return;
  mark.contiguous = false;
  mark.confirmation.made = 0;
  delete mark.confirmation.several;
  mark.confirmation.silent = 0;
}
