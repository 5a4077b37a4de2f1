import type { BacklogRound, TickSummary } from "../polling/index.ts";
import type { Sightings } from "./sightings.ts";

/** Stands for the rows of the survey list without an id that can be read. */
const UNREADABLE = "unreadable";

/**
 * Failures with the time since which this process has seen them without the contrary, in epoch milliseconds. They are surveys whose backlog
 * fails, by their ids; and rows of the survey list that name no survey.
 */
export type FailingSince = Map<number | typeof UNREADABLE, number>;

/** By how often `rescan.full` books may be old: a pass that proves nothing is made again after an eighth of it, twice. */
export const BOOKS_ALLOWANCE = 1.5;

export interface StalledRequest {
  summary: TickSummary;
  seen: Sightings;
  /** Kept from tick to tick, and changed. */
  failing: FailingSince;
  fullEvery: number;
  now: number;
}

/**
 * Milliseconds for which the longest-standing trouble has kept responses from going out or from being accounted for; 0 when all is well. It
 * is an age and no count, so that trouble that passes within minutes calls no person:
 *
 * - a survey whose polls fail, or whose backlog does, since they do;
 * - rows of the survey list that do not tell which survey they are, since there are any;
 * - metrics or metadata that fail for the whole source, which responses wait for, since they do;
 * - books that should have been closed again by now;
 * - responses that a survey's first pass could not account for, once that pass should have been made good.
 */
export function stalledFor({ summary, seen, failing, fullEvery, now }: StalledRequest): number {
  if ((summary.unreadableSurveys ?? 0) === 0) failing.delete(UNREADABLE);
  else if (!failing.has(UNREADABLE)) failing.set(UNREADABLE, now);
  // Another process may have come to the end of a backlog that has failed in this one.
  const isBehind = (id: number): boolean => seen.account?.rows.get(id)?.isBehind === true;
  for (const key of failing.keys()) if (key !== UNREADABLE && !isBehind(key)) failing.delete(key);
  const { surveys, outages, figures } = summary;
  const patience = BOOKS_ALLOWANCE * fullEvery;
  const { firstTick = now } = seen.basis;
  const isUnaccounted = (figures?.unaccounted ?? 0) > 0 && surveys.some(({ books, booksOpen }) => !books && booksOpen);
  return Math.max(
    0,
    ...[...failing.values()].map((since) => now - since),
    figures?.failing ?? 0,
    ...outages.map((kind) => now - (seen.account?.outages?.[kind] ?? now)),
    (figures?.oldestBooks ?? 0) - patience,
    isUnaccounted ? now - firstTick - patience : 0,
  );
}

export function noteTurns({ turns }: BacklogRound, failing: FailingSince, now: number): void {
  for (const { surveyId, failure } of turns) {
    if (failure === undefined) failing.delete(surveyId);
    else if (!failing.has(surveyId)) failing.set(surveyId, now);
  }
}
