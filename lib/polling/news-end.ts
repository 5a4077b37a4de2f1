import type { Order } from "./ports.ts";
import type { Run } from "./records.ts";
import { datesOf } from "./sort-key.ts";
import type { Mark } from "./state-types.ts";

// At which end of the list news appear. By what the two orders are called that is the beginning of desc; a service whose
// key falls as time goes on has them at the beginning of asc.

/** Fewer dates than this are in order by chance. */
const LEAST_DATES = 8;

type NewsEnd = Pick<Mark, "newsAt">;

/** The order whose first page shows the newest. */
export const headOrder = ({ newsAt }: NewsEnd): Order => newsAt ?? "desc";

/** The order in which what comes meanwhile is added behind its last page. */
export const tailOrder = ({ newsAt }: NewsEnd): Order => (newsAt === "asc" ? "desc" : "asc");

/**
 * Learns from the first page in head order, after a scan that has left nothing open. Its dates rise where it shows the
 * oldest: then news are at the other end. What was learned is forgotten as soon as the dates do not fall there.
 */
export function learnNewsEnd(mark: Mark, runs: Run[], now: number): void {
  // What is under way goes on in the order in which it began.
  if (mark.stream ?? mark.sweep ?? mark.pass) return;
  const keys = (["completed", "started"] as const).map((key) => datesOf(key, runs, now));
  const telling = keys.filter((dates) => new Set(dates).size >= LEAST_DATES);
  const isOrdered = (sign: 1 | -1) => (dates: string[]) =>
    dates.every((date, i) => i === 0 || sign * date.localeCompare(dates[i - 1] ?? date) >= 0);
  const turns =
    mark.newsAt === undefined ? telling.some(isOrdered(1)) : telling.length > 0 && !telling.some(isOrdered(-1));
  if (!turns) return;
  if (mark.newsAt === undefined) mark.newsAt = "asc";
  else delete mark.newsAt;
  // Places of the other order.
  delete mark.headEnd;
  delete mark.anchor;
}
