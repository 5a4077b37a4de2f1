import type { Mark } from "../model/mark.ts";
import type { Run } from "../model/records.ts";
import { datesOf, falls } from "../model/sort-key.ts";
import type { Order } from "../ports.ts";

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
 * Told of news on the first page, `runs`, of the end where none were expected: from then on they are looked for there, if
 * they stand where its dates say.
 */
export function learnNewsEnd(mark: Mark, runs: Run[], now: number): void {
  // What is under way goes on in the order in which it began.
  if (isUnderWay(mark) || mark.headOpen === true) return;
  if (keysOf(runs, now).some(falls)) turn(mark);
}

/** Goes back to desc as soon as the first page in asc order, `runs`, contradicts what was learned. */
export function doubtNewsEnd(mark: Mark, runs: Run[], now: number): void {
  if (mark.newsAt === undefined || isUnderWay(mark)) return;
  const keys = keysOf(runs, now);
  if (keys.length > 0 && !keys.some(falls)) turn(mark);
}

const isUnderWay = ({ stream, pass }: Mark): boolean => stream !== undefined || pass !== undefined;

/** The dates of a page by each key that there are enough of. */
function keysOf(runs: Run[], now: number): string[][] {
  const keys = (["completed", "started"] as const).map((key) => datesOf(key, runs, now));
  return keys.filter((dates) => new Set(dates).size >= LEAST_DATES);
}

function turn(mark: Mark): void {
  if (mark.newsAt === undefined) mark.newsAt = "asc";
  else delete mark.newsAt;
  // Places of the other order.
  delete mark.headEnd;
  delete mark.anchor;
  delete mark.sweep;
}
