import type { PollContext } from "../context.ts";
import { leave } from "../errors.ts";
import type { FailingPage } from "../model/mark.ts";
import type { Order } from "../ports.ts";
import type { WalkEnd, WalkOptions } from "../walk/walk.ts";

// A page that fails each time does not hide the pages behind it: after some polls it is stepped over (R9).

/** Polls in a row whose walks have failed at the same page, or beside it, before that is stepped over. */
const POLLS = 3;

/** Walks of a first pass or a catch-up that have ended at a page that failed, after which it comes to its end. By the fourth a single page is stepped over. */
export const MOST_FAILURES = 10;

/** The pages that a walk in this order steps over; `tries`: whether they are read once more before. */
export function stepsOver({ mark }: Pick<PollContext, "mark">, order: Order, tries: boolean): WalkOptions["stepsOver"] {
  const pages = (mark.failing?.[order] ?? []).filter(({ isSteppedOver }) => isSteppedOver).map(({ page }) => page);
  return pages.length === 0 ? undefined : { pages: new Set(pages), tries };
}

/** Notes how a walk has ended. A failure is told at the end of the poll: whole responses go out first. `from`: where it began. */
export function noteEnd(
  ctx: PollContext,
  order: Order,
  end: WalkEnd,
  { from, tries }: { from: number; tries: boolean },
): void {
  const known = ctx.mark.failing?.[order] ?? [];
  if (end.kind === "failed") leave(ctx, end.error);
  const failing = end.kind === "failed" ? afterFailure(ctx, known, end.page) : known.filter((one) => !isPassed(one));
  if (failing.length === known.length && end.kind !== "failed") return;
  const { [order]: _, ...others } = ctx.mark.failing ?? {};
  ctx.mark.failing = failing.length === 0 ? others : { ...others, [order]: failing };
  if (Object.keys(ctx.mark.failing).length === 0) delete ctx.mark.failing;

  function isPassed({ page, isSteppedOver }: FailingPage): boolean {
    if (from > page || !(end.kind === "end" || end.last >= page)) return false;
    return !isSteppedOver || (tries && !end.steppedOver.includes(page));
  }
}

/** The failing pages of an order once a walk has failed at one more, or once more. */
function afterFailure(ctx: PollContext, known: readonly FailingPage[], page: number): FailingPage[] {
  const isNear = (one: FailingPage): boolean => Math.abs(one.page - page) <= 1;
  const same = known.find((one) => isNear(one) && !one.isSteppedOver);
  // Of several walks in one interval, those of a poll and of the slice that follows it, only the first counts.
  if (same !== undefined && ctx.leasedAt - same.pollAt < ctx.source.interval / 2) return [...known];
  const polls = (same?.polls ?? 0) + 1;
  const one: FailingPage = { page, polls, pollAt: ctx.leasedAt, isSteppedOver: polls >= POLLS && page > 1 };
  // Where the page beside one that is stepped over fails as well, neither is.
  return [...known.filter((other) => !isNear(other)), one];
}
