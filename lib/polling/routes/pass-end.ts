import type { PassIds } from "../books/pass-ids.ts";
import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { Run } from "../model/records.ts";
import type { Order } from "../ports.ts";
import { toPage } from "../walk/page.ts";

/**
 * Whether a pass from the asc beginning to its end at `last` has met the first page of the other order (R29). Arrivals meanwhile are at that end by now, or are new
 * to the ledger. Else there is a part of the list that no page number reaches.
 */
export async function reachesHead(ctx: PollContext, ids: PassIds, last: number): Promise<boolean> {
  const { mark, ports, surveyId } = ctx;
  const head = await runsOn(ctx, 1, "desc");
  const missing = new Map(head.map((run) => [run.responseId, run]));
  for (const id of missing.keys()) if (ids.has(id)) missing.delete(id);
  for (const page of [last, last + 1]) {
    if (missing.size === 0) return true;
    for (const { responseId } of await runsOn(ctx, page, "asc")) missing.delete(responseId);
  }
  if (missing.size === 0) return true;
  // Before the first books history is new to the ledger, too.
  if (mark.books === undefined) return false;
  const known = await ports.state.entries(surveyId, [...missing.keys()].slice(0, 100));
  return ![...known.values()].some(({ state }) => state === "emitted" || state === "before-floor");
}

/** None where there is no such page; behind the end of the list some services fail. */
async function runsOn(ctx: PollContext, page: number, order: Order): Promise<Run[]> {
  try {
    const read = toPage(page, await ctx.ports.service.page(ctx.surveyId, page, order));
    return read?.runs ?? [];
  } catch (error) {
    if (page === 1 || endsWork(error)) throw error;
    return [];
  }
}
