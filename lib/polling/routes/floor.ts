import type { PollContext } from "../context.ts";
import { earliestString, later } from "../model/dates.ts";
import type { Floor } from "../model/mark.ts";

// Where history begins for a survey (R15), set once, by its first pass.

/** Milliseconds by which clocks that are right may differ. */
const CLOCKS_DIFFER = 300_000;

/** No floor: every completed response is new. */
const NONE: Floor = { at: null, inclusive: true };

/** The first look at a survey, as far as its floor goes. */
export interface Shown {
  /** Number of responses on the first pages of both orders. */
  shown: number;
  /** The largest credible date of a completed one. */
  newest: string | undefined;
  /** Whether these pages are all there is, and nothing on them is completed. */
  noneCompleted: boolean;
  /** Whether the list looks sorted by completion. */
  ordered: boolean;
}

/**
 * The floor of a survey that was there when history began.
 *
 * | `startFrom` | floor |
 * |---|---|
 * | a date | that date |
 * | now, and nothing is completed yet | none: every response that completes from now on is new |
 * | now, sorted by completion | the largest credible date shown |
 * | now, any other list | the same, and it rises with what the first pass meets |
 *
 * It never rises above `floorCap`. Example: the source's first tick was at 12:00 and has seen 11:59:58; a survey first read at 12:05 that shows 12:04 gets 11:59:58.
 */
export function chooseFloor(ctx: PollContext, { shown, newest, noneCompleted, ordered }: Shown): Floor {
  const { startFrom } = ctx.source;
  if (startFrom !== "now") return { at: `${startFrom} 00:00:00`, inclusive: true };
  if (noneCompleted && (shown > 0 || (ctx.listedCount ?? 0) === 0)) return NONE;
  const cap = floorCap(ctx);
  // A list that is believed to be empty although more is counted may be gone: its responses of then are from before.
  const at = newest ?? (shown === 0 ? cap : undefined) ?? "";
  return {
    at: cap !== undefined && cap < at ? cap : at,
    inclusive: false,
    ...(ordered ? {} : { rises: true }),
    ...(cap === undefined ? {} : { cap }),
  };
}

/** The floor stands from the first moment on: a crash must not let a later poll set a later one. */
export async function setFloor({ mark, ports, lease }: PollContext, floor: Floor = NONE): Promise<void> {
  if (mark.floor !== undefined) return;
  mark.floor = { ...floor };
  mark.phase = { kind: "first-pass" };
  await ports.state.saveMark(lease, mark);
}

/** During a first pass over a list that is not sorted by completion, "now" is the largest date met so far. Whether it rose. */
export function raiseFloor(ctx: PollContext, newest: string | undefined): boolean {
  const { floor } = ctx.mark;
  // A pass that goes on after the source's first tick meets what completed since, which is not before any floor.
  if (floor?.rises !== true || newest === undefined) return false;
  // A floor begun in the source's first tick has its own date of that tick already, which others need not have seen.
  const first = floorCap(ctx);
  const cap = floor.cap ?? (first === undefined ? undefined : later(first, floor.at ?? undefined));
  const before = floor.at;
  floor.at = later(before ?? "", cap !== undefined && cap < newest ? cap : newest) ?? newest;
  return floor.at !== before;
}

/** The limit of a floor of "now" that is looked for after the source's first tick: it must lose nothing that completed since. */
function floorCap({ sourceFloor, firstTick, ports }: PollContext): string | undefined {
  if (firstTick === undefined) return undefined;
  const now = ports.clock.now();
  // The clock of the first tick was ahead: all that completes until then would be history.
  if (firstTick > now + CLOCKS_DIFFER) return sourceFloor ?? earliestString(now);
  const earliest = earliestString(firstTick);
  return sourceFloor !== undefined && sourceFloor > earliest ? sourceFloor : earliest;
}
