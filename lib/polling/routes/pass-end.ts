import { closeBooks, leaveOpen, type PassBooks } from "../books/books.ts";
import { dropIds, keepIds } from "../books/id-set.ts";
import type { PollContext } from "../context.ts";
import type { Mark, Pass, ScanPosition } from "../model/mark.ts";
import type { Run } from "../model/records.ts";
import type { Order } from "../ports.ts";
import { emitRepairs, emitRuns } from "../publish/emit.ts";
import { repairShort } from "../publish/repair.ts";
import { mayBePastEnd } from "../walk/failing-end.ts";
import { PAGE_SIZE, toPage } from "../walk/pages.ts";
import { headOrder, tailOrder } from "./news-end.ts";
import { keepSurplus, type Surplus, shortOnes } from "./piece-counts.ts";
import { addCounts, type PollCounts } from "./poll-counts.ts";
import { dropSpilled, joinSpilled } from "./spill.ts";

// What becomes of a full pass between its slices, and at its end.

/** A pass as far as it has come. */
export interface PassSoFar {
  pass: Pass;
  ids: Set<number>;
  position: ScanPosition;
  surplus: Surplus | undefined;
}

export interface EndedPass extends PassSoFar {
  books: PassBooks;
  /** Of the slice that has reached the end; changed and given back. */
  counts: PollCounts;
}

/** Sends out what the pass has joined, and closes the books, or says why they stay open. */
export async function endPass(ctx: PollContext, ended: EndedPass): Promise<PollCounts> {
  const { pass, books, ids, position, counts, surplus } = ended;
  const { mark, ports } = ctx;
  // Where pages moved, parts may have moved past each other: another pass joins them.
  let left = 0;
  const joins = pass.spilled !== undefined && pass.covered && !pass.moved;
  if (joins) {
    for await (const joined of joinSpilled(ctx, pass)) {
      if (joined === undefined) {
        // Without one of its parts a response would seem whole that is not: all of them are read again.
        await dropPass(ctx, pass);
        return counts;
      }
      const { runs, repairs } = joined;
      left += joined.left;
      // What went out in earlier polls: were the time up here, the rest would never have its turn.
      if (runs.length + repairs.length === 0) continue;
      const outcome = await emitRuns(ctx, runs, "scrub", "full pass");
      const again = await emitRepairs(ctx, repairs, "scrub", "full pass");
      outcome.repaired = again.repaired;
      // Whatever fails for one each time: those that are joined after it go out.
      if (outcome.left + again.left > 0) pass.left = true;
      books.tally.repaired += outcome.repaired;
      books.settle(outcome);
      addCounts(counts, outcome);
      counts.held = Math.max(0, counts.held - outcome.found);
      if (!outcome.unfinished && ports.clock.now() <= ctx.deadline) continue;
      await keepPass(ctx, { pass: { ...pass, ended: true }, ids, position, surplus: undefined });
      counts.unfinished = true;
      return counts;
    }
  }
  mark.pages = position.page;
  if (pass.covered && !pass.moved) {
    if (pass.left !== true) forgetShort(mark, pass.short);
    const short = surplus === undefined ? [] : shortOnes(surplus);
    const parts = short.map((responseId): Run => ({ responseId, records: [] }));
    books.tally.repaired += await repairShort(ctx, parts, "scrub");
  }
  await dropPass(ctx, pass);
  const now = ports.clock.now();
  if (!pass.covered) leaveOpen(ctx, "pages moved while they were read", now);
  else if (!(await reachesHead(ctx, ids, position))) leaveOpen(ctx, "range unreachable", now);
  else await closeBooks(ctx, { books, startedAt: pass.startedAt, moved: pass.moved });
  const isLeft = pass.left === true || (joins ? left > 0 : (pass.spilled ?? []).length > 0);
  if (mark.short !== undefined || isLeft) mark.nextPass = now;
  counts.complete = true;
  return counts;
}

/** What was found short while the pass went on is left to the next one. */
function forgetShort(mark: Mark, done: number[] = []): void {
  const left = mark.short?.filter((id) => !done.includes(id)) ?? [];
  if (left.length > 0) mark.short = left;
  else delete mark.short;
}

/** The ids lie under a name of their own for each slice: the mark tells which are the right ones, also after a crash. */
export async function keepPass(ctx: PollContext, { pass, position, ids, surplus }: PassSoFar): Promise<void> {
  const { edge: _, again: __, ids: older, counted: olderCounts, ...rest } = pass;
  const counted = await keepSurplus(ctx, surplus);
  const kept = await keepIds(ctx, ids, "pass");
  const { page, edge, again } = position;
  ctx.mark.pass = {
    ...rest,
    page,
    ids: kept,
    ...(counted === undefined ? {} : { counted }),
    ...(edge === undefined ? {} : { edge }),
    ...(again === undefined ? {} : { again }),
  };
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  await dropIds(ctx, older);
  await dropCounts(ctx, olderCounts);
}

/** Forgets a pass, and what of it lies in the vault. */
export async function dropPass(ctx: PollContext, pass: Pass): Promise<void> {
  delete ctx.mark.pass;
  await dropIds(ctx, pass.ids);
  await dropCounts(ctx, pass.counted);
  await dropSpilled(ctx, pass);
}

async function dropCounts(ctx: PollContext, counted: Pass["counted"]): Promise<void> {
  if (counted?.key !== undefined) await ctx.ports.vault.delete(counted.key).catch(() => undefined);
}

/**
 * Whether the end of the pass holds what the head shows. What has come meanwhile is at that end by now, or is new to the
 * ledger; else there is a part of the list that no page number reaches.
 */
async function reachesHead(ctx: PollContext, ids: Set<number>, last: ScanPosition): Promise<boolean> {
  if (last.page <= 1 && (last.edge?.size ?? 0) < PAGE_SIZE) return true;
  const missing = new Set(await idsOn(ctx, 1, headOrder(ctx.mark)));
  for (const id of ids) missing.delete(id);
  for (const page of [last.page, last.page + 1]) {
    if (missing.size === 0) return true;
    for (const id of await idsOn(ctx, Math.max(1, page), tailOrder(ctx.mark))) missing.delete(id);
  }
  const known = await ctx.ports.state.entries(ctx.surveyId, [...missing].slice(0, 100));
  return ![...known.values()].some(({ state }) => state === "emitted" || state === "before-floor");
}

/** None behind the end of the list, where some services fail. */
async function idsOn(ctx: PollContext, page: number, order: Order): Promise<number[]> {
  try {
    const read = toPage(page, await ctx.ports.service.page(ctx.surveyId, page, order));
    return read?.runs.map(({ responseId }) => responseId) ?? [];
  } catch (error) {
    if (page === 1 || !mayBePastEnd(error)) throw error;
    return [];
  }
}
