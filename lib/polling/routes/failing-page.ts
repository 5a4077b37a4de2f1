import type { PollContext } from "../context.ts";
import { endsWork, leave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import type { FailingPage, Mark } from "../model/mark.ts";
import { beginAllPages } from "../model/phase.ts";
import type { Order } from "../ports.ts";
import type { WalkEnd, WalkOptions } from "../walk/walk.ts";

// A page that fails each time does not hide the pages behind it: after some polls it is stepped over (R9).

/** Polls in a row whose walks have failed at the same page, or beside it, before that is stepped over. */
const POLLS = 3;

/** Milliseconds between two tries of a page that is stepped over: half of the time for which it has failed by then, within these. */
const SHORTEST_PAUSE = 300_000;
const LONGEST_PAUSE = 3_600_000;

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

const ORDERS = ["asc", "desc"] as const;

/** The pages that are stepped over, and when each is tried again (epoch milliseconds). While a walk over all pages is under way none is. */
function tries({ failing, phase }: Mark): { page: FailingPage; order: Order; at: number }[] {
  if (phase.kind !== "head") return [];
  return ORDERS.flatMap((order) =>
    (failing?.[order] ?? []).flatMap((page) => {
      const pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, (page.pollAt - page.since) / 2));
      return page.isSteppedOver ? [{ page, order, at: page.pollAt + pause }] : [];
    }),
  );
}

/** When the next page that is stepped over is tried again (epoch milliseconds). */
export function nextTry(mark: Mark): number | undefined {
  const moments = tries(mark).map(({ at }) => at);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/**
 * Tries the pages again that are stepped over, each by one request. Once one answers all pages are read: that is a backlog, and waits for no budget.
 *
 * Example: page 3 fails from 10:00 on, and is stepped over at 10:03. It is tried at 10:07, 10:12 and 10:18. By 10:27 it answers, and what it holds goes out.
 */
export async function tryAgain(ctx: PollContext): Promise<void> {
  const { mark, ports, surveyId, leasedAt } = ctx;
  for (const { page, order, at } of tries(mark)) {
    if (at > ports.clock.now()) continue;
    await holdLease(ctx);
    ports.observe({ kind: "page", surveyId, page: page.page, order });
    page.pollAt = leasedAt;
    try {
      await ports.service.page(surveyId, page.page, order);
    } catch (error) {
      if (endsWork(error)) throw error;
      continue;
    }
    // Only a walk that has passed it shows that it is well. Should it fail again, it goes on where it was.
    Object.assign(page, { polls: 0, isSteppedOver: false });
    mark.nextPass = ports.clock.now();
    beginAllPages(mark, { page: 1 });
  }
}

/** The failing pages of an order once a walk has failed at one more, or once more. */
function afterFailure(ctx: PollContext, known: readonly FailingPage[], page: number): FailingPage[] {
  const isNear = (one: FailingPage): boolean => Math.abs(one.page - page) <= 1;
  const same = known.find((one) => isNear(one) && !one.isSteppedOver);
  // Of several walks in one interval, those of a poll and of the slice that follows it, only the first counts.
  if (same !== undefined && ctx.leasedAt - same.pollAt < ctx.source.interval / 2) return [...known];
  const polls = (same?.polls ?? 0) + 1;
  const { leasedAt: pollAt } = ctx;
  // One that has been well for longer than a pause is in new trouble.
  const isSameTrouble = same !== undefined && pollAt - same.pollAt <= 2 * LONGEST_PAUSE;
  const since = isSameTrouble ? same.since : pollAt;
  const one: FailingPage = { page, polls, since, pollAt, isSteppedOver: polls >= POLLS && page > 1 };
  // Where the page beside one that is stepped over fails as well, neither is.
  return [...known.filter((other) => !isNear(other)), one];
}
