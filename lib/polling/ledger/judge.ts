import { before, credible, isDateString, MARGIN } from "../model/dates.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Floor } from "../model/mark.ts";
import { classOf, completedAt, type Run, type RunClass } from "../model/records.ts";

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
