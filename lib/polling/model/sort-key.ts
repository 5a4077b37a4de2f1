import { credible } from "./dates.ts";
import type { SortKey } from "./mark.ts";
import { classOf, completedAt, type Run } from "./records.ts";

/** Fewer dates than this say nothing of an order. */
const LEAST_DATES = 5;

type DateKey = Exclude<SortKey, "other">;

/** What a page in desc order is sorted by, given what was believed: kept until it is contradicted. */
export function learnSortKey(believed: SortKey | undefined, runs: Run[], now: number): SortKey | undefined {
  const isSorted = (key: DateKey): boolean => falls(datesOf(key, runs, now));
  // Equal dates are in any order.
  const tells = (key: DateKey): boolean => new Set(datesOf(key, runs, now)).size >= LEAST_DATES;
  const possible = (["completed", "started"] as const).filter(isSorted);
  const enough = tells("completed") && possible.every(tells);
  if (believed !== undefined && believed !== "other" && possible.includes(believed)) return believed;
  return enough ? (possible[0] ?? "other") : believed;
}

/** The date strings by which a page is sorted, of its completed responses. */
export function datesOf(key: DateKey, runs: Run[], now: number): string[] {
  return runs.flatMap((run) => {
    if (classOf(run) !== "completed") return [];
    const date = key === "completed" ? completedAt(run) : (run.records[0]?.startedAt ?? null);
    return credible(date, now) ? [date] : [];
  });
}

/** Whether no date is newer than the one before. */
export function falls(dates: string[]): boolean {
  return dates.every((date, i) => i === 0 || date <= (dates[i - 1] ?? date));
}
