import { closeBooks, leaveOpen } from "../books/books.ts";
import { dropPassIds, keepPassIds, loadPassIds, type PassIds } from "../books/pass-ids.ts";
import type { Allowance, PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import type { BooksOpen, Pass } from "../model/books.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { emitFound } from "../publish/emit.ts";
import type { WalkEnd } from "../walk/walk.ts";
import { reachesHead } from "./pass-end.ts";
import { isSliceOver, pagesBeyond } from "./slice.ts";
import { surveyWalk } from "./survey-walk.ts";

/** Slices in a row that end at a page that fails and come no further, after which a pass is given up. By the fourth the page would be stepped over. */
const MOST_FAILURES = 5;

/** One slice of a full pass over all pages in asc order. It finds what every other walk has missed, and closes the books at the end. */
export async function passSlice(ctx: PollContext, allowance: Allowance): Promise<PollCounts> {
  const { mark } = ctx;
  // From its very beginning the mark shows that it is under way.
  mark.pass ??= newPass(ctx);
  // A copy: nothing of a slice that fails may be left in the mark, where its ids would be missing.
  const pass = { ...mark.pass };
  const counts = noCounts();
  const ids = await loadPassIds(ctx, pass);
  if (ids === undefined) {
    await dropPass(ctx, pass);
    return counts;
  }
  const begun = pass.page;
  const beyond = pagesBeyond(begun);
  const steps = surveyWalk(ctx, {
    order: "asc",
    from: Math.max(1, begun - 1),
    proves: "coverage",
    ids,
    triesAgain: true,
    mostAhead: Math.max(1, Math.floor(allowance.left() / 2)),
  });
  for await (const step of steps) {
    const outcome = await emitFound(ctx, step.toEmit, "full-pass");
    addCounts(counts, outcome);
    addCounts(counts, step);
    pass.covered &&= step.covered;
    pass.moved ||= step.moved;
    pass.steppedOver = [...new Set([...pass.steppedOver, ...step.steppedOver])];
    pass.changed += step.changed;
    pass.repaired += outcome.repaired;
    const wanted = step.toEmit.filter(({ replaces }) => replaces !== undefined).length - outcome.unproved;
    pass.unreplaced ||= wanted > outcome.repaired;
    pass.found += outcome.found + step.found;
    // Responses that were not begun for lack of time are met again.
    if (counts.unfinished) break;
    pass.page = step.position;
    if (step.end !== undefined) return endPass(ctx, { pass, ids, end: step.end, counts });
    if (isSliceOver(ctx, allowance, beyond(step.position))) break;
  }
  await keepPass(ctx, pass, ids);
  return counts;
}

function newPass({ ports }: PollContext): Pass {
  const counted = { changed: 0, repaired: 0, found: 0 };
  return {
    page: 1,
    startedAt: ports.clock.now(),
    covered: true,
    moved: false,
    steppedOver: [],
    failures: 0,
    unreplaced: false,
    ...counted,
  };
}

interface EndedPass {
  pass: Pass;
  ids: PassIds;
  end: WalkEnd;
  counts: PollCounts;
}

/** Closes the books, or says why they stay open. A pass is forgotten last: a failure at its end makes only that end be done again. */
async function endPass(ctx: PollContext, { pass, ids, end, counts }: EndedPass): Promise<PollCounts> {
  const now = ctx.ports.clock.now();
  const why = await whyOpen(ctx, { pass, ids, end });
  if (why === undefined) {
    pass.failures = pass.page > (ctx.mark.pass?.page ?? 0) ? 1 : pass.failures + 1;
    leaveOpen(ctx, { code: "pages-unreachable", pages: [end.kind === "failed" ? end.page : 1] }, now);
    // Another pass begins at page 1: changes there are not to wait for this page.
    if (pass.failures >= MOST_FAILURES) await dropPass(ctx, pass);
    else await keepPass(ctx, pass, ids);
    return counts;
  }
  counts.complete = true;
  if (why !== "closed") leaveOpen(ctx, why, now);
  else {
    const { startedAt, moved, changed, repaired, found } = pass;
    await closeBooks(ctx, { ids, startedAt, moved, changed, repaired, found });
  }
  if (pass.unreplaced) ctx.mark.nextPass = now;
  await dropPass(ctx, pass);
  return counts;
}

/** Why the books stay open, or that they may be closed; undefined where that could not be seen. */
async function whyOpen(
  ctx: PollContext,
  { pass, ids, end }: Omit<EndedPass, "counts">,
): Promise<BooksOpen | "closed" | undefined> {
  if (end.kind !== "end") return undefined;
  if (end.isEmpty && ids.all.size > 0) return { code: "read-as-empty" };
  if (!pass.covered) return { code: "pages-moved" };
  if (pass.steppedOver.length > 0) return { code: "pages-unreachable", pages: pass.steppedOver };
  const reaches = await orLeave(ctx, async () => ({ head: await reachesHead(ctx, ids, end.last) }));
  if (reaches === undefined) return undefined;
  return reaches.head ? "closed" : { code: "range-unreachable" };
}

async function keepPass(ctx: PollContext, pass: Pass, ids: PassIds): Promise<void> {
  const older = { ...pass };
  ctx.mark.pass = { ...pass, ...(await keepPassIds(ctx, ids)) };
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  await dropPassIds(ctx, older);
}

/** Forgets a pass, and what of it lies in the vault. */
async function dropPass(ctx: PollContext, pass: Pass): Promise<void> {
  delete ctx.mark.pass;
  await dropPassIds(ctx, pass);
}
