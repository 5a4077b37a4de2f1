import { closeBooks, emptyTally, leaveOpen, openBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import type { Allowance, PollContext } from "./context.ts";
import { emitRuns } from "./emit.ts";
import { dropIds, keepIds, loadIds } from "./id-set.ts";
import { toPage } from "./pages.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { digestOf, type Run } from "./records.ts";
import { repairScattered } from "./repair.ts";
import { slice } from "./slice.ts";
import { dropSpilled, joinSpilled, spill } from "./spill.ts";
import type { Pass, ScanPosition } from "./state-types.ts";

/**
 * One slice of a full pass over all pages in asc order: finds whatever every other scan has missed, shows whether
 * records stand together, joins those that do not where operation 9 cannot, and closes the books at the end.
 */
export async function passSlice(ctx: PollContext, allowance: Allowance): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const pass = mark.pass ?? newPass(ctx);
  const ids = await loadIds(ctx, pass.ids);
  if (ids === undefined) {
    delete mark.pass;
    return noCounts();
  }
  mark.pass = pass;
  const books = openBooks(ids, pass.tally);
  const from = pass.page;
  const carried = pass.edge?.carry?.responseId;
  const before = { covered: pass.covered, moved: pass.moved };
  const scattered = new Map<number, Run>();
  const pieces = new Map<number, Run[]>();

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
      books.tally.changed += step.changed;
      // A page that is read again after a move takes the place of what it showed first.
      pieces.set(step.page, step.pieces);
      const again = step.runs.filter(({ responseId }) => books.again.has(responseId) && responseId !== carried);
      const isFresh = !pass.moved && step.page > from;
      if (isFresh) for (const run of await comeApart(ctx, again)) scattered.set(run.responseId, run);
      return false;
    },
  });
  counts.repaired += await repairScattered(ctx, [...scattered.values(), ...(end?.scattered ?? [])], "scrub");
  books.tally.found += counts.found;
  books.tally.repaired += counts.repaired;
  if (scattered.size > 0) noteScatter(ctx);
  if (pass.spilled !== undefined) await spill(ctx, pass, pieces);
  if (end === undefined) {
    await keepPass(ctx, pass, position, ids);
    return counts;
  }

  pass.covered &&= end.covered;
  pass.moved ||= end.moved;
  const together = !pass.moved && scattered.size === 0 && !end.apart && !end.suspect;
  if (together && pass.covered && end.ended) {
    mark.contiguous = true;
    mark.confirmation.apart = false;
  }
  if (pass.spilled !== undefined && pass.covered) {
    for await (const runs of joinSpilled(ctx, pass)) {
      const outcome = await emitRuns(ctx, runs, "scrub", "full pass");
      books.settle(outcome);
      addCounts(counts, outcome);
      counts.held = Math.max(0, counts.held - outcome.found);
    }
  }
  delete mark.pass;
  const now = ports.clock.now();
  if (!pass.covered) leaveOpen(ctx, "pages moved while they were read", now);
  else if (!(await reachesHead(ctx, ids, position.page))) leaveOpen(ctx, "range unreachable", now);
  else await closeBooks(ctx, { books, startedAt: pass.startedAt, moved: pass.moved });
  await dropIds(ctx, pass.ids);
  await dropSpilled(ctx, pass);
  counts.complete = true;
  return counts;
}

function newPass(ctx: PollContext): Pass {
  const startedAt = ctx.ports.clock.now();
  const pass: Pass = { page: 0, startedAt, tally: emptyTally(), covered: true, moved: false };
  return isUnproved(ctx) ? { ...pass, spilled: [] } : pass;
}

/** The ids lie under a name of their own for each slice: the mark tells which are the right ones, also after a crash. */
async function keepPass(ctx: PollContext, pass: Pass, position: ScanPosition, ids: Set<number>): Promise<void> {
  const older = pass.ids;
  const { edge: _, again: __, ...rest } = pass;
  ctx.mark.pass = { ...rest, ids: await keepIds(ctx, ids, "pass"), ...position };
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  await dropIds(ctx, older);
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
async function reachesHead(ctx: PollContext, ids: Set<number>, pages: number): Promise<boolean> {
  if (pages <= 1) return true;
  const head = toPage(1, await ctx.ports.service.page(ctx.surveyId, 1, "desc"));
  return head === undefined || head.runs.length === 0 || head.runs.some(({ responseId }) => ids.has(responseId));
}
