import type { FullRead } from "./books.ts";

// What the phase of a survey says, and the ways from one to the next.

/**
 * Where a survey stands, and so what its next poll does.
 *
 * | phase | next poll |
 * |---|---|
 * | new | reads all pages, as a catch-up from page 1 |
 * | head | reads the head |
 * | catch-up | works off a backlog that is too deep for a head scan, from `place` on |
 */
export type Phase = { kind: "new" } | FollowingHead | { kind: "catch-up"; place: FullRead };

interface FollowingHead {
  kind: "head";
  /** The last page of a head walk with news that has not come to a clean end: the next one reads at least as far. */
  openTo?: number;
  /** Where the last head walk came to a clean end, and when (epoch milliseconds); absent where that read every page. */
  end?: { page: number; at: number };
}

interface InPhase {
  phase: Phase;
}

/** The place of a walk over all pages that is under way. */
export function placeOf({ phase }: InPhase): FullRead | undefined {
  return phase.kind === "catch-up" ? phase.place : undefined;
}

/** The page down to which the next head walk has to read at least. */
export function openTo({ phase }: InPhase): number | undefined {
  return phase.kind === "head" ? phase.openTo : undefined;
}

/** Where the last head walk has ended; undefined when it has read every page. */
export function headEnd({ phase }: InPhase): { page: number; at: number } | undefined {
  return phase.kind === "head" ? phase.end : undefined;
}

/** A walk over all pages is under way from now on. */
export function beginAllPages(mark: InPhase, place: FullRead): void {
  mark.phase = { kind: "catch-up", place };
}

/** Ends a backlog: from now on the head tells what is new. `end`: where a head walk has ended. */
export function followHead(mark: InPhase, end?: { page: number; at: number }): void {
  mark.phase = { kind: "head", ...(end === undefined ? {} : { end }) };
}
