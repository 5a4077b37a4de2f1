import { closeBooks, emptyTally, leaveOpen, openBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import type { Allowance, PollContext } from "./context.ts";
import { emitRepairs, emitRuns } from "./emit.ts";
import { dropIds, keepIds, loadIds } from "./id-set.ts";
import { PAGE_SIZE, toPage } from "./pages.ts";
import { countPieces, keepSurplus, loadSurplus, type Surplus, shortOnes } from "./piece-counts.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { digestOf, type Run } from "./records.ts";
import { repairShort, repairSuspects } from "./repair.ts";
import { slice } from "./slice.ts";
import { dropSpilled, joinSpilled, spill } from "./spill.ts";
import type { Pass, ScanPosition } from "./state-types.ts";
import { SEVERAL } from "./survey-scan.ts";

/**
 * One slice of a full pass over all pages in asc order: finds whatever every other scan has missed, shows whether
 * records stand together, joins those that do not where operation 9 cannot, and closes the books at the end.
 */
export async function passSlice(
  ctx: PollContext,
  allowance: Allowance,
  { join = false }: { join?: boolean } = {},
): Promise<PollCounts> {
  const { mark, ports } = ctx;
  // A copy: of a slice that fails nothing may be left in the mark, where its ids would be missing.
  const pass = structuredClone(mark.pass ?? newPass(ctx, join || isUnproved(ctx) || mark.short !== undefined));
  const ids = await loadIds(ctx, pass.ids);
  if (ids === undefined) {
    delete mark.pass;
    return noCounts();
  }
  const books = openBooks(ids, pass.tally);
  const from = pass.page;
  const carried = pass.edge?.carry?.responseId;
  const before = { covered: pass.covered, moved: pass.moved, several: pass.several ?? 0 };
  const scattered = new Map<number, Run>();
  const pieces = new Map<number, Run[]>();
  const counted = new Set<number>();
  const short = new Set(mark.short);
  let surplus = await loadSurplus(ctx, pass);

  const { counts, position, end } = await slice(ctx, {
    order: "asc",
    from: pass,
    origin: "scrub",
    prove: "all",
    allowance,
    books,
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
  if (end === undefined) {
    await keepPass(ctx, pass, position, ids, surplus);
    return counts;
  }

  pass.covered &&= end.covered;
  pass.moved ||= end.moved;
  const together = !pass.moved && pass.scattered !== true && !end.apart;
  if (together && pass.covered && end.ended && (pass.several ?? 0) >= SEVERAL) {
    mark.contiguous = true;
    mark.confirmation.apart = false;
  }
  if (pass.spilled !== undefined && pass.covered) {
    for await (const { runs, repairs } of joinSpilled(ctx, pass)) {
      const outcome = await emitRuns(ctx, runs, "scrub", "full pass");
      outcome.repaired = await emitRepairs(ctx, repairs, "scrub", "full pass");
      books.tally.repaired += outcome.repaired;
      books.settle(outcome);
      addCounts(counts, outcome);
      counts.held = Math.max(0, counts.held - outcome.found);
    }
  }
  delete mark.pass;
  mark.pages = position.page;
  if (pass.spilled !== undefined && pass.covered && !pass.moved) delete mark.short;
  if (surplus !== undefined && pass.covered && !pass.moved) {
    const short = shortOnes(surplus).map((responseId): Run => ({ responseId, records: [] }));
    books.tally.repaired += await repairShort(ctx, short, "scrub");
  }
  const now = ports.clock.now();
  if (!pass.covered) leaveOpen(ctx, "pages moved while they were read", now);
  else if (!(await reachesHead(ctx, ids, position))) leaveOpen(ctx, "range unreachable", now);
  else await closeBooks(ctx, { books, startedAt: pass.startedAt, moved: pass.moved });
  if (mark.short !== undefined) mark.nextPass = now;
  await dropIds(ctx, pass.ids);
  await dropSpilled(ctx, pass);
  counts.complete = true;
  return counts;
}

function newPass({ mark, ports }: PollContext, join: boolean): Pass {
  const pass: Pass = { page: 0, startedAt: ports.clock.now(), tally: emptyTally(), covered: true, moved: false };
  if (mark.confirmation.apart || mark.contiguous !== true) pass.counted = {};
  return join ? { ...pass, spilled: [] } : pass;
}

/** The ids lie under a name of their own for each slice: the mark tells which are the right ones, also after a crash. */
async function keepPass(
  ctx: PollContext,
  pass: Pass,
  position: ScanPosition,
  ids: Set<number>,
  surplus: Surplus | undefined,
): Promise<void> {
  const { edge: _, again: __, ids: older, counted: olderCounts, ...rest } = pass;
  const counted = await keepSurplus(ctx, surplus);
  const kept = await keepIds(ctx, ids, "pass");
  ctx.mark.pass = { ...rest, ids: kept, ...(counted === undefined ? {} : { counted }), ...position };
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  await dropIds(ctx, older);
  if (olderCounts?.key !== undefined) await ctx.ports.vault.delete(olderCounts.key).catch(() => undefined);
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
function noteScatter({ mark }: PollContext): void {
  mark.contiguous = false;
  mark.confirmation.made = 0;
  mark.confirmation.silent = 0;
}

/** Whether the asc end holds what the head shows: else there is a part of the list that no page number reaches. */
async function reachesHead(ctx: PollContext, ids: Set<number>, last: ScanPosition): Promise<boolean> {
  if (last.page <= 1 && (last.edge?.size ?? 0) < PAGE_SIZE) return true;
  const head = toPage(1, await ctx.ports.service.page(ctx.surveyId, 1, "desc"));
  return head === undefined || head.runs.length === 0 || head.runs.some(({ responseId }) => ids.has(responseId));
}
