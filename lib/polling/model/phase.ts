import type { Mark, Place } from "./mark.ts";

// What the phase of a survey says, and the ways from one to the next.

type InPhase = Pick<Mark, "phase">;

/** The place of a walk over all pages that is under way. */
export function placeOf({ phase }: InPhase): Place | undefined {
  return phase.kind === "first-pass" || phase.kind === "catch-up" ? phase.place : undefined;
}

/** Whether the first pass is over: all that was there when the floor was set was met, but for what `isPartial` of the floor says. */
export function isHistoryMet({ phase }: InPhase): boolean {
  return phase.kind === "head" || phase.kind === "catch-up";
}

/** The page down to which the next head walk has to read at least. */
export function openTo({ phase }: InPhase): number | undefined {
  return phase.kind === "first-pass" || phase.kind === "head" ? phase.openTo : undefined;
}

/** Where the last head walk has ended; undefined when it has read every page. */
export function headEnd({ phase }: InPhase): { page: number; at: number } | undefined {
  return phase.kind === "head" ? phase.end : undefined;
}

/** A walk over all pages is under way from now on. */
export function beginAllPages(mark: InPhase, place: Place): void {
  mark.phase = { kind: isHistoryMet(mark) ? "catch-up" : "first-pass", place };
}

/** Ends a first pass or a backlog: from now on the head tells what is new. `end`: where a head walk has ended. */
export function followHead(mark: Mark, end?: { page: number; at: number }): void {
  mark.phase = { kind: "head", ...(end === undefined ? {} : { end }) };
  delete mark.floor?.rises;
  delete mark.floor?.cap;
}
