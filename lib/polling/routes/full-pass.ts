import { emptyTally, openBooks } from "../books/books.ts";
import { loadIds } from "../books/id-set.ts";
import { isUnproved } from "../contents/confirm.ts";
import { SEVERAL } from "../contents/layout.ts";
import type { Allowance, PollContext } from "../context.ts";
import type { Pass } from "../model/mark.ts";
import { digestOf, type Run } from "../model/records.ts";
import { repairSuspects } from "../publish/repair.ts";
import { tailOrder } from "./news-end.ts";
import { dropPass, endPass, keepPass } from "./pass-end.ts";
import { countPieces, loadSurplus } from "./piece-counts.ts";
import { noCounts, type PollCounts } from "./poll-counts.ts";
import { slice } from "./slice.ts";
import { spill, standTogether } from "./spill.ts";

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
  // From its very beginning the mark shows that it is under way.
  mark.pass ??= newPass(ctx, join || isUnproved(ctx) || mark.short !== undefined);
  // A copy: of a slice that fails nothing may be left in the mark, where its ids would be missing.
  const pass = structuredClone(mark.pass);
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
  const short = new Set(pass.short);
  let surplus = await loadSurplus(ctx, pass);

  const { counts, position, end, redo, passed } = await slice(ctx, {
    order: tailOrder(mark),
    from: pass,
    origin: "scrub",
    prove: "all",
    allowance,
    books,
    joins: pass.spilled !== undefined,
    redone: pass.redo,
    onPage: async (step) => {
      pass.covered = before.covered && step.covered;
      pass.moved = before.moved || step.moved;
      pass.several = before.several + step.several;
      if (step.apart) pass.scattered = true;
      if (step.suspect) pass.doubtful = true;
      books.tally.changed += step.changed;
      // A page that is read again after a move takes the place of what it showed first.
      pieces.set(step.page, [...step.pieces, ...step.runs.filter(({ responseId }) => short.has(responseId))]);
      // A page that was counted already, or records that come again, would be counted twice.
      if (pass.moved || step.page <= from || counted.has(step.page)) surplus = undefined;
      counted.add(step.page);
      if (surplus !== undefined) countPieces(surplus, step.runs, step.known);
      const again = step.runs.filter(({ responseId }) => books.again.has(responseId) && responseId !== carried);
      const isFresh = !step.moved && step.page > from;
      const parts = isFresh ? await comeApart(ctx, again) : [];
      // Once pages have moved, that explains it as well.
      if (pass.moved) pass.doubtful ||= parts.length > 0;
      else for (const run of parts) scattered.set(run.responseId, run);
      return false;
    },
  });
  counts.repaired += await repairSuspects(ctx, [...scattered.values(), ...(end?.scattered ?? [])], "scrub");
  books.tally.found += counts.found;
  books.tally.repaired += counts.repaired;
  if (scattered.size > 0 || end?.suspect === true) pass.scattered = true;
  if (scattered.size > 0) noteScatter(ctx);
  if (pass.spilled !== undefined) await spill(ctx, pass, pieces);
  if (passed) pass.left = true;
  if (redo === undefined) delete pass.redo;
  else pass.redo = redo;
  if (end === undefined) {
    await keepPass(ctx, { pass, ids, position, surplus });
    return counts;
  }

  pass.covered &&= end.covered;
  pass.moved ||= end.moved;
  if (end.ended && !end.apart && (await provesContiguous(ctx, pass))) {
    mark.contiguous = true;
    mark.confirmation.apart = false;
  }
  return endPass(ctx, { pass, books, ids, position, counts, surplus });
}

function newPass({ mark, ports }: PollContext, join: boolean): Pass {
  const pass: Pass = { page: 0, startedAt: ports.clock.now(), tally: emptyTally(), covered: true, moved: false };
  if (mark.confirmation.apart || mark.contiguous !== true) pass.counted = {};
  return join ? { ...pass, spilled: [], short: mark.short ?? [] } : pass;
}

/** Whether a pass that has come to the end of the list shows that the records of each response stand together. */
async function provesContiguous(ctx: PollContext, pass: Pass): Promise<boolean> {
  if (!pass.covered || pass.scattered === true || (pass.several ?? 0) < SEVERAL) return false;
  if (!pass.moved) return true;
  // What has moved may hide that a response came again: only all that was met of each one tells, and nothing that was certain before is undone.
  if (pass.doubtful === true || ctx.mark.confirmation.apart) return false;
  return pass.spilled !== undefined && (await standTogether(ctx, pass));
}

/** Responses listed by an earlier slice that come again with other records than those that were emitted. */
async function comeApart(ctx: PollContext, again: Run[]): Promise<Run[]> {
  if (again.length === 0) return [];
  const ids = [...new Set(again.map(({ responseId }) => responseId))];
  const entries = await ctx.ports.state.entries(ctx.surveyId, ids.slice(0, 100));
  return again.filter((run) => {
    const entry = entries.get(run.responseId);
    return entry?.digest === undefined || entry.digest !== digestOf(run, ctx.volatile);
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
