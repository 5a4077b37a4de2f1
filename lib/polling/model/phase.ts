import type { IdsRef } from "./books.ts";

// What the phase of a survey says, and the ways from one to the next.

/** Dates of completion, as the service writes them; both belong to it. */
export interface DateRange {
  from: string;
  to: string;
}

/** The responses that the parts of a walk over all pages have met. */
export interface Met {
  /** Epoch milliseconds at which it began. */
  startedAt: number;
  /** Whether pages moved meanwhile. */
  moved: boolean;
  repaired: number;
  /** As those of a full pass. */
  ids?: IdsRef;
}

/** The point at which a walk over all pages goes on after a crash or at the end of its time. */
export interface Place {
  /** The first page of which not everything is dealt with (R7). */
  page: number;
  /** Walks in a row that have come no further: they have ended at a page that failed, or short of what the other order shows. */
  failures?: number;
  /** Whether something may have slipped through a part of it, or could not be read. */
  isPartial?: true;
  /** The responses met so far, where it began at page 1 and can close the books (R29). It belongs to `page`: both are written together. */
  met?: Met;
  /** Responses at the head when it was looked at last: what stands before them has come since. */
  head?: number[];
  /** Of a backfill: responses completed in this range go out even where they are history. */
  backfill?: DateRange;
}

/**
 * Where a survey stands, and so what its next poll does.
 *
 * | phase | next poll |
 * |---|---|
 * | new | reads all pages, as a catch-up from page 1 |
 * | head | reads the head |
 * | catch-up | works off a backlog that is too deep for a head walk, from `place` on |
 */
export type Phase = { kind: "new" } | FollowingHead | { kind: "catch-up"; place: Place };

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
export function placeOf({ phase }: InPhase): Place | undefined {
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
export function beginAllPages(mark: InPhase, place: Place): void {
  mark.phase = { kind: "catch-up", place };
}

/** Ends a backlog: from now on the head tells what is new. `end`: where a head walk has ended. */
export function followHead(mark: InPhase, end?: { page: number; at: number }): void {
  mark.phase = { kind: "head", ...(end === undefined ? {} : { end }) };
}
