import type { Run } from "../model/records.ts";
import type { Course, Look } from "./course.ts";
import type { ShortPageEnds } from "./list-end.ts";
import { isFull } from "./page.ts";

// A page that was read once shows one moment, and its neighbour another: which looks are made again, and what the second ones say.

/** The looks that are made again before anything is made of them. */
export function inDoubt(
  { held }: Course,
  proves: "contents" | "coverage",
  isNew: (responseId: number) => boolean,
  isOver: boolean,
): Look[] {
  const canBeRead = ({ isGuess, error }: Look): boolean => isGuess === undefined && error === undefined;
  const end = held.at(-1)?.ends === true ? held.at(-1) : undefined;
  // Pages of one round come in any order: each is read again before it is given out.
  // fault: end-seen-once
  if (proves === "coverage") return (isOver ? held : held.slice(0, -1)).filter(canBeRead);
  const pages = end === undefined ? held : held.slice(0, -1);
  const doubtful = new Set<Look>();
  for (const [i, page] of pages.entries()) {
    const next = pages[i + 1];
    if (next !== undefined && isCut(page, next, isNew)) doubtful.add(page).add(next);
  }
  const last = pages.at(-1);
  const news = idsOf(last).filter(isNew);
  const isCutByEnd = news.includes(idsOf(last).at(-1) ?? Number.NaN);
  if (end !== undefined && last !== undefined && isCutByEnd) doubtful.add(last);
  // An end that was read once may have been a fault of the moment.
  if (end !== undefined && (last === undefined || news.length > 0)) doubtful.add(end);
  return held.filter((look) => doubtful.has(look) && canBeRead(look));
}

/** Whether something new stands at the edge between two pages, or on both. */
function isCut(before: Look, next: Look, isNew: (responseId: number) => boolean): boolean {
  const [ids, there] = [idsOf(before), new Set(idsOf(next))];
  const atEdge = [ids.at(-1), [...there][0]];
  return atEdge.some((id) => id !== undefined && isNew(id)) || ids.some((id) => isNew(id) && there.has(id));
}

const idsOf = ({ page }: Look = { number: 0, ends: true }): number[] =>
  page?.runs.map(({ responseId }) => responseId) ?? [];

/** Whether the list has only got longer since its last page was read, at its end: that is for the next walk (R8). */
export function hasOnlyGrown({ held }: Course, again: Look[], shortPageEnds: ShortPageEnds): boolean {
  const [last, end] = held.slice(-2);
  const [lastNow, endNow] = again.slice(-2);
  if (last?.page === undefined || end?.ends !== true || end.page !== undefined) return false;
  if (end.error !== undefined || endNow?.error !== undefined) return false;
  // Behind a full page there may have been one all the time: the end that was read was a fault of the moment.
  if (isFull(last.page) || shortPageEnds === false) return false;
  const before = last.page.runs;
  const now = [...(lastNow?.page?.runs ?? []), ...(endNow?.page?.runs ?? [])];
  const next = now[before.length];
  if (before.length === 0 || next === undefined || next.responseId === before.at(-1)?.responseId) return false;
  return before.every((run, i) => isSameRun(run, now[i]));
}

function isSameRun(one: Run, other: Run | undefined): boolean {
  const text = ({ records }: Run): string =>
    records
      .map(({ signature }) => signature)
      .sort()
      .join();
  return other !== undefined && one.responseId === other.responseId && text(one) === text(other);
}

export function isSame(one: Look, other: Look | undefined): boolean {
  return one.page?.signature === other?.page?.signature && (one.error === undefined) === (other?.error === undefined);
}
