import type { Allowance, PollContext } from "../context.ts";
import { passSlice } from "./full-pass.ts";
import { dropPass } from "./pass-end.ts";
import { addCounts, type PollCounts } from "./poll-counts.ts";

/** Milliseconds: what operation 9 could not confirm now it seldom can a moment later, and each look costs a request. */
export const HELD_FOR = 300_000;

/**
 * Responses are held because operation 9 cannot tell whether they are whole: a full pass will, and they are news, so it
 * does not wait for the background budget. As it reads every page, it is not made at every tick.
 */
export async function joinNow(ctx: PollContext, counts: PollCounts): Promise<void> {
  const { mark, ports } = ctx;
  const now = ports.clock.now();
  if (mark.pass?.spilled === undefined) {
    if (now < (mark.joinAgain ?? 0)) return;
    if (mark.pass !== undefined) await dropPass(ctx, mark.pass);
  }
  const unlimited: Allowance = { left: () => Number.POSITIVE_INFINITY, spend: () => {} };
  const { held, ...joined } = await passSlice(ctx, unlimited, { join: true });
  addCounts(counts, joined);
  // Still held are those that may have arrived while it read.
  if (joined.complete) counts.held = held;
  const isShort = (mark.pages ?? Number.POSITIVE_INFINITY) <= ctx.source.headPages;
  mark.joinAgain = now + (isShort ? 0 : HELD_FOR);
}
