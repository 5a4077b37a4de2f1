import type { PollContext } from "./context.ts";
import type { Patrol, Round } from "./model/mark.ts";
import { headEnd } from "./model/phase.ts";
import type { PollingSource } from "./model/source.ts";

export type { Round } from "./model/mark.ts";

/**
 * The patrol reads below the head what no count has shown, in depths that double (R23). Level 0 reads the first 4 pages each `patrol.every`, level 1 the first 8
 * half as often, and so on. A level that would come as seldom as `patrol.full` is left to the full pass. Example, by default: page 60 lies within level 4 (64
 * pages), which comes every 16 hours.
 */

const LEAST_PAGES = 4;

type Periods = Pick<PollingSource, "patrol">;

/** Number of levels: those that come more often than the full pass. */
export function levels({ patrol: { every, full } }: Periods): number {
  return Math.max(1, Math.ceil(Math.log2(full / every)));
}

/** Milliseconds between two rounds of a level. */
export function periodOf(level: number, { patrol }: Periods): number {
  return patrol.every * 2 ** level;
}

/** Pages that a level reads, counted from the head. */
export function depthOf(level: number): number {
  return LEAST_PAGES * 2 ** level;
}

/** When something slow is due (epoch milliseconds), and how often it comes (milliseconds): the urgency is overdue ÷ period. */
export interface Due {
  at: number;
  every: number;
}

/** By how many of its periods something is overdue at `now`; below 0 where it is not due yet. */
export function overdue({ at, every }: Due, now: number): number {
  return (now - at) / every;
}

/** Whose turn is next: what is due and overdue by most of its periods, or else what comes first. */
export function nextOf<T extends Due>(dues: T[], now: number): T | undefined {
  const overdues = dues.filter(({ at }) => at <= now);
  if (overdues.length === 0) return dues.toSorted((a, b) => a.at - b.at)[0];
  return overdues.toSorted((a, b) => overdue(b, now) - overdue(a, now))[0];
}

/** When each level is due, the deepest first. */
export function dueLevels({ mark, source }: Pick<PollContext, "mark" | "source">): (Due & { level: number })[] {
  const dues = Array.from({ length: levels(source) }, (_, level) => {
    const every = periodOf(level, source);
    return { level, at: (mark.patrol?.reached[level] ?? 0) + every, every };
  });
  return dues.reverse();
}

/** Notes that from `at` (epoch milliseconds) on the list was read down to the depth of a level, and so to all smaller ones. */
export function noteReached(ctx: Pick<PollContext, "mark" | "source">, level: number, at: number): void {
  const { reached, rounds } = patrolOf(ctx);
  for (let i = 0; i <= level; i += 1) {
    reached[i] = Math.max(at, reached[i] ?? 0);
    delete rounds[i];
  }
}

/** All pages were just read: the patrol begins to count from here. */
export function noteAllRead(ctx: PollContext, at = ctx.ports.clock.now()): void {
  noteReached(ctx, levels(ctx.source) - 1, at);
}

export function patrolOf({ mark, source }: Pick<PollContext, "mark" | "source">): Patrol {
  const { reached = [], rounds = {} } = mark.patrol ?? {};
  // There may be more levels, or fewer, than when it was written.
  mark.patrol = { reached: Array.from({ length: levels(source) }, (_, level) => reached[level] ?? 0), rounds };
  return mark.patrol;
}

/** Begins a level where the last head scan has ended; undefined where that has read so far already. */
export function beginRound(ctx: PollContext, level: number): Round | undefined {
  const end = headEnd(ctx.mark);
  if (end === undefined) noteAllRead(ctx);
  else if (end.page > depthOf(level)) noteReached(ctx, level, end.at);
  else return { page: end.page, startedAt: end.at };
  return undefined;
}
