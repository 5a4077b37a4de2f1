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

/** Doublings after which a service is taken to answer any page number. */
const MOST_DOUBLINGS = 32;

/** Number of the last page that holds records, or of one before it, found in about 2 log2 requests; `known` is one that does. */
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
  let low = known;
  let high = known * 2;
  let before: string | undefined;
  /** The page that the service shows behind its last one, where it repeats one. */
  let beyond: string | undefined;
  for (let tries = 0; ; tries += 1, high *= 2) {
    if (tries > MOST_DOUBLINGS) return undefined;
    const signature = await signatureAt(high);
    if (signature === undefined) break;
    if (signature === before) {
      beyond = signature;
      high /= 2;
      low = Math.max(known, high / 2);
      break;
    }
    before = signature;
    low = high;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const signature = await signatureAt(middle);
    if (signature === undefined || signature === beyond) high = middle;
    else low = middle;
  }
  return low;
}
