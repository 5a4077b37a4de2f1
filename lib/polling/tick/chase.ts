import type { Chase, SurveyRow } from "../model/account.ts";

/** What a poll came to, as far as the chase goes. */
export interface ChasePoll {
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

const OWED_TICKS = 5;
/** What a search to the end has not found is not there to be found: starts and unpaid responses may move counts too. */
const REST_AFTER_END = 3_600_000;

export const noChase: Chase = { missing: 0, owed: 0, seeking: false, restUntil: 0, deep: false };

/** By how much the counts have grown since the last poll: the one that has grown most. */
export function grownBy(counts: SurveyRow["counts"], row: SurveyRow | undefined): number {
  return Math.max(0, ...counts.map((count, i) => (count ?? 0) - (row?.counts[i] ?? count ?? 0)));
}

/** First the head is read for some more ticks; then what is missing is looked for below it. */
export function nextChase(grown: number, row: SurveyRow | undefined, poll: ChasePoll): Chase {
  // Behind a pass that took several polls something may have arrived where it had been: looked for once.
  if (row === undefined) return poll.resumed ? { ...noChase, missing: 1, seeking: true } : noChase;
  const { chase } = row;
  const found = poll.resumed ? 0 : poll.found;
  const missing = Math.max(0, chase.missing + grown + poll.missing - found);
  // What turned up at the head did not need a search below it.
  const foundBelow = poll.headRead ? poll.foundBelow : found;
  const deep = foundBelow > 0 || (chase.deep && found === 0);
  if (missing === 0) return { ...noChase, restUntil: chase.restUntil, deep };
  if (chase.seeking) {
    if (poll.complete && poll.sought === 0) return { ...noChase, restUntil: poll.now + REST_AFTER_END };
    return { ...chase, missing, deep };
  }
  // That one is known to be complete: a search that rests does so because counts may move for other reasons.
  if (poll.missing > 0) return { ...chase, missing, owed: 0, seeking: true, restUntil: 0 };
  if (poll.now < chase.restUntil && grown === 0 && chase.owed === 0) return { ...chase, missing };
  if (grown > found) return { ...chase, missing, owed: deep ? 1 : OWED_TICKS, deep };
  if (chase.owed > 1) return { ...chase, missing, owed: chase.owed - 1 };
  return { ...chase, missing, owed: 0, seeking: true };
}

/** Whether the chase asks for another reading of the head. */
export function asksForHead({ owed }: Chase): boolean {
  return owed > 0;
}

/** Whether a search below the head is to go on at `now`. */
export function asksForSearch({ seeking, restUntil }: Chase, now: number): boolean {
  return seeking && restUntil <= now;
}
