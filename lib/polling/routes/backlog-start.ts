import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { toPage } from "../walk/page.ts";
import type { WalkEnd } from "../walk/walk.ts";

/** Pages before the oldest news at which a catch-up begins: arrivals and deletions meanwhile have moved it. */
const MARGIN = 2;

/** The page, counted from the oldest, at which a backlog is to be caught up. `end`: that of a walk from the head. `withNews`: the pages with news that it has met. */
export async function backlogStart(
  ctx: PollContext,
  end: WalkEnd | undefined,
  withNews: ReadonlySet<number>,
): Promise<number> {
  // From the very first page nothing can be missed.
  if (end?.kind !== "enough") return 1;
  const last = await lastPage(ctx, end.last);
  return last === undefined ? 1 : Math.max(1, last - Math.max(...withNews) + 1 - MARGIN);
}

/** A page number that no list reaches. */
const BEYOND = 1_000_000;

/** Number of the last page that holds records, or of one before it, found in about 2 log2 requests; `known` is one that does. Undefined where any page number is answered. */
async function lastPage(ctx: PollContext, known: number): Promise<number | undefined> {
  /** Undefined where there is no such page, or it fails. Should it be one of the list, the backlog begins further up, and nothing is missed. */
  const signatureAt = async (page: number): Promise<string | undefined> => {
    await holdLease(ctx);
    try {
      return toPage(page, await ctx.ports.service.page(ctx.surveyId, page, "asc"))?.signature;
    } catch (error) {
      if (endsWork(error)) throw error;
      return undefined;
    }
  };
  // Some services show a page again behind their last one.
  const beyond = await signatureAt(BEYOND);
  const isThere = async (page: number): Promise<boolean> => {
    const signature = await signatureAt(page);
    return signature !== undefined && signature !== beyond;
  };
  let low = known;
  let high = known * 2;
  for (; await isThere(high); high *= 2) {
    if (high > BEYOND) return undefined;
    low = high;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isThere(middle)) low = middle;
    else high = middle;
  }
  return low;
}
