import { credible } from "../../events/build/date-string.ts";
import { later } from "../model/dates.ts";
import { classOf, completedAt, type Run } from "../model/records.ts";

/** The largest credible date among runs. */
export function newestDate(runs: Iterable<Run>, now: number): string | undefined {
  let newest: string | undefined;
  for (const run of runs) {
    const date = classOf(run) === "completed" ? completedAt(run) : null;
    if (credible(date, now)) newest = later(newest, date);
  }
  return newest;
}

/**
 * Whether the first pages of both orders look sorted by completion: one descending, the other ascending, and the newest of the one not before the newest of the
 * other. An open response has to stand where its date puts it, and one without a date at an end of the page. In a list sorted by start with few completions these
 * are in order by chance.
 */
export function orderedByCompletion(descending: Run[], ascending: Run[], now: number): boolean {
  const down = completedDates(descending, now);
  const up = completedDates(ascending, now);
  return down !== undefined && up !== undefined && inOrder(down, up);
}

/** Whether they may as well be sorted by start. */
export function orderedByStart(descending: Run[], ascending: Run[], now: number): boolean {
  const started = (runs: Run[]): string[] =>
    runs.map(({ records }) => records[0]?.startedAt ?? null).filter((date) => credible(date, now));
  return inOrder(started(descending), started(ascending));
}

function inOrder(down: string[], up: string[]): boolean {
  const falls = down.every((date, i) => i === 0 || date <= (down[i - 1] ?? date));
  const rises = up.every((date, i) => i === 0 || date >= (up[i - 1] ?? date));
  const [newest = "", oldest = ""] = [down[0], up[0]];
  return falls && rises && newest >= (up.at(-1) ?? "") && oldest <= (down.at(-1) ?? oldest);
}

/** Undefined when a date is missing or not credible where it counts: then nothing can be said of the order. */
function completedDates(runs: Run[], now: number): string[] | undefined {
  const counts = (run: Run): boolean => classOf(run) !== "open" || credible(completedAt(run), now);
  const dates: string[] = [];
  for (const run of runs.slice(Math.max(0, runs.findIndex(counts)), runs.findLastIndex(counts) + 1)) {
    const date = completedAt(run);
    if (!credible(date, now)) return undefined;
    dates.push(date);
  }
  return dates;
}
