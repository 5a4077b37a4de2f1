import type { PassIds } from "../books/pass-ids.ts";
import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { Order } from "../ports.ts";
import { toPage } from "../walk/page.ts";

/**
 * Whether a pass from the asc beginning to its end at `last` has met what the other order begins with (R29). What has come meanwhile is at that
 * end by now, or is new to the ledger; else there is a part of the list that no page number reaches.
 */
export async function reachesHead(ctx: PollContext, ids: PassIds, last: number): Promise<boolean> {
  const missing = new Set((await idsOn(ctx, 1, "desc")).filter((id) => !ids.has(id)));
  for (const page of [last, last + 1]) {
    if (missing.size === 0) return true;
    for (const id of await idsOn(ctx, page, "asc")) missing.delete(id);
  }
  // To a very first walk everything is new.
  if (!ctx.mark.firstPassDone) return missing.size === 0;
  const known = await ctx.ports.state.entries(ctx.surveyId, [...missing].slice(0, 100));
  return ![...known.values()].some(({ state }) => state === "emitted" || state === "before-floor");
}

/** None where there is no such page; behind the end of the list some services fail. */
async function idsOn(ctx: PollContext, page: number, order: Order): Promise<number[]> {
  try {
    const read = toPage(page, await ctx.ports.service.page(ctx.surveyId, page, order));
    return read?.runs.map(({ responseId }) => responseId) ?? [];
  } catch (error) {
    if (page === 1 || endsWork(error)) throw error;
    return [];
  }
}
