import type { SurveyStatus } from "./answer.ts";

/** Milliseconds over which the speed of a first read is taken. */
const LATELY = 60_000;

export interface Reading {
  /** The first page of which not everything is dealt with. */
  page: number;
  /** The last page when the end of the list was looked for last. */
  lastPage: number | undefined;
  /** Responses by the count of the survey list; null where that is not known. */
  listed: number | null;
  /** When its events went out (epoch milliseconds), of a first read in which all that is met goes out. */
  emittedAt: readonly number[] | undefined;
  /** Milliseconds of reading a part of it from 0 to 1, with its details; undefined where no rate is known. */
  timeFor(part: number, pages: number): number | undefined;
  now: number;
}

/** How far a walk over all pages is, and when it will be done. The pages of a first read follow from the records that its responses have had so far. */
export function progressOf(reading: Reading): NonNullable<SurveyStatus["catchUp"]> {
  const { page, lastPage, listed, emittedAt, timeFor, now } = reading;
  const emitted = emittedAt?.length ?? null;
  const expected = emitted === null || listed === null || listed < emitted ? null : listed;
  const byResponses = emitted === null || expected === null ? null : emitted / Math.max(1, expected);
  const known = lastPage === undefined ? null : Math.max(page, lastPage);
  const pages = byResponses === null || byResponses === 0 ? known : Math.max(page, Math.ceil((page - 1) / byResponses));
  const part = byResponses ?? (pages === null ? null : Math.min(1, (page - 1) / pages));
  const measured = expected === null ? undefined : timeLeft(emittedAt ?? [], expected, now);
  const left = measured ?? (part === null || pages === null ? undefined : timeFor(1 - part, pages)) ?? null;
  return { page, pages, part, left: left === null ? null : Math.ceil(left), emitted, expected };
}

/** At the speed of the last minute; undefined where nothing went out in it. */
function timeLeft(emittedAt: readonly number[], expected: number, now: number): number | undefined {
  const lately = emittedAt.filter((at) => at > now - LATELY);
  const since = lately.reduce((first, at) => Math.min(first, at), now);
  if (lately.length === 0 || since === now) return undefined;
  return ((expected - emittedAt.length) * (now - since)) / lately.length;
}
