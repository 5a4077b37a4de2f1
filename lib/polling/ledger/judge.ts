import { before, credible, isDateString, later, MARGIN } from "../model/dates.ts";
import { classOf, completedAt, type Run, type RunClass } from "../model/records.ts";
import type { Floor, LedgerEntry } from "../model/state-types.ts";

/**
 * What is to be done about a response that a scan met:
 * settled: nothing; old: nothing, and no item either, its date alone says that it is before the floor;
 * before-floor and open: an item; emit and quarantine: its whole is needed.
 */
export type Decision = "settled" | "old" | "before-floor" | "open" | "emit" | "quarantine";

export interface Judgement {
  floor: Floor;
  /** Whether every response that was there when the floor was set has been met. */
  firstPassDone: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** Decides by the ledger alone wherever it knows the response; dates only ever settle unknown ones far below the floor. */
export function decide(run: Run, entry: LedgerEntry | undefined, by: Judgement): Decision {
  const kind = classOf(run);
  if (entry !== undefined) return decideKnown(run, kind, entry, by);
  if (kind === "open") return "open";
  // Whether it is completed is what cannot be read, so its date may be that of an open one: it settles nothing.
  return kind === "unreadable" ? "quarantine" : decideUnknown(completedAt(run), by);
}

function decideKnown(run: Run, kind: RunClass, entry: LedgerEntry, by: Judgement): Decision {
  // A waiting one has its records: it is looked at when its next check is due.
  if (entry.state === "emitted" || entry.state === "before-floor" || entry.state === "waiting") return "settled";
  // The bus has refused it for good: it would refuse it again.
  if (entry.state === "quarantined" && entry.reason?.startsWith("bus:")) return "settled";
  if (kind === "completed")
    return entry.state === "quarantined" && isFarBelow(completedAt(run), by.floor) ? "before-floor" : "emit";
  if (kind === "open") return entry.state === "open" ? "settled" : "open";
  return entry.state === "quarantined" ? "settled" : "quarantine";
}

/** Whether a response is completed and its date alone says that it is before the floor: then there is no item of it, unless it was open. */
export function isOld(run: Run, floor: Floor): boolean {
  return classOf(run) === "completed" && isFarBelow(completedAt(run), floor);
}

/** Far below the floor, which was credible when it was set: by a clock set back since, all of history would be new. */
function isFarBelow(completed: string | null, { at }: Floor): boolean {
  return at !== null && completed !== null && isDateString(completed) && completed < before(at, MARGIN);
}

function decideUnknown(completed: string | null, by: Judgement): Decision {
  const { at, inclusive } = by.floor;
  if (at === null) return "emit";
  if (isFarBelow(completed, by.floor)) return "old";
  if (!credible(completed, by.now)) return by.firstPassDone ? "emit" : "before-floor";
  if (by.firstPassDone) return "emit";
  return completed > at || (inclusive && completed === at) ? "emit" : "before-floor";
}

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
 * Whether the first pages of both orders look sorted by completion: descending in one, ascending in the other, and the
 * newest of the one not before the newest of the other. An open response has to stand where its date puts it, and one
 * without a date at an end of the page: in a list sorted by start with few completions these are in order by chance.
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
