import type { Allowance, PollContext } from "../context.ts";

/** Pages that a slice of slow work reads at least: of each slice two or three are read to find its place again. */
const LEAST_PAGES = 4;

/** Pages that a slice may go back for ground and has to come beyond its place all the same. */
const NEAR = 8;

/**
 * How far a slice has come beyond its place, in pages. Where it had to go back far for ground the count begins there, and so does the next slice. `begun`: the
 * place at which it began. To be told of the position of each step, from the first one on.
 */
export function pagesBeyond(begun: number): (position: number) => number {
  let place: number | undefined;
  return (position) => {
    place ??= position < begun - NEAR ? position + 1 : begun;
    return position - place;
  };
}

/** Whether a slice ends that has come so many pages beyond its place: its budget is spent, or the time is up. One page it comes further in any case. */
export function isSliceOver(ctx: PollContext, allowance: Allowance, pages: number): boolean {
  if (pages > 0 && ctx.ports.clock.now() > ctx.deadline) return true;
  return pages >= LEAST_PAGES && allowance.left() <= 0;
}
