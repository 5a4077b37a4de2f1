import type { SurveyRow, Unmet } from "../model/account.ts";

/** What a poll came to, as far as the unmet goes. */
export interface UnmetPoll {
  now: number;
  /** New responses met. */
  found: number;
  /** Whether every page was read, and whether the head was. */
  complete: boolean;
  headRead: boolean;
  /** Whether the poll was part of a pass over several: what it found tells nothing of what arrived meanwhile. */
  resumed: boolean;
  /** New responses met by a search below the head that has come to its end; undefined when none has. */
  sought: number | undefined;
  /** Those of `found` that a search has met in this poll. */
  foundBelow: number;
  /** Completed responses that are known of and yet to be found on pages. */
  missing: number;
}

/** Ticks that read the head after a count has moved without a find: lists may lag behind counts. After so many of them it is looked for below, too. */
const OWED_TICKS = 5;
const HEAD_ALONE = 2;
/** What a search to the end has not found is not there to be found: starts and unpaid responses may move counts too. */
const REST_AFTER_END = 3_600_000;

export const noneUnmet: Unmet = { missing: 0, owed: 0, seeking: false, restUntil: 0, deep: false };

/** By how much the counts have grown since the last poll: the one that has grown most. */
export function grownBy(counts: SurveyRow["counts"], row: SurveyRow | undefined): number {
  return Math.max(0, ...counts.map((count, i) => (count ?? 0) - (row?.counts[i] ?? count ?? 0)));
}

/**
 * First the head is read for some more ticks; after two of them what is missing is looked for below it, too. A search that was in vain rests for an
 * hour. Example: a count moves at 12:00 for a late completion on page 60; the head is read at 12:00, 12:01 and 12:02, and the search begins at 12:02.
 */
export function nextUnmet(grown: number, row: SurveyRow | undefined, poll: UnmetPoll): Unmet {
  // Behind a pass that took several polls something may have arrived where it had been: looked for once.
  if (row === undefined) return poll.resumed ? { ...noneUnmet, missing: 1, seeking: true } : noneUnmet;
  const { unmet } = row;
  const found = poll.resumed ? 0 : poll.found;
  const missing = Math.max(0, unmet.missing + grown + poll.missing - found);
  // What turned up at the head did not need a search below it.
  const foundBelow = poll.headRead ? poll.foundBelow : found;
  const deep = foundBelow > 0 || (unmet.deep && found === 0);
  const isInVain = unmet.seeking && poll.complete && poll.sought === 0;
  const restUntil = isInVain ? poll.now + REST_AFTER_END : unmet.restUntil;
  if (missing === 0) return { ...noneUnmet, restUntil, deep };
  // That one is known to be complete: a search that rests does so because counts may move for other reasons.
  if (poll.missing > 0) return { missing, owed: 0, seeking: true, restUntil: 0, deep };
  const hasGrown = grown > found;
  const owed = hasGrown ? OWED_TICKS : Math.max(0, unmet.owed - 1);
  const isResting = restUntil > poll.now;
  const goesOn = unmet.seeking && !isInVain;
  // What a count shows while searches rest is searched for once that is over.
  const seeking = goesOn || deep || (isResting ? hasGrown : owed <= OWED_TICKS - HEAD_ALONE);
  // Nothing more is done about what cannot be found.
  if (owed === 0 && !seeking) return { ...noneUnmet, restUntil };
  return { missing, owed, seeking, restUntil, deep };
}

/** Whether the unmet asks for another reading of the head. */
export function asksForHead({ owed }: Unmet): boolean {
  return owed > 0;
}

/** Whether a search below the head is to go on at `now`. */
export function asksForSearch({ seeking, restUntil }: Unmet, now: number): boolean {
  return seeking && restUntil <= now;
}
