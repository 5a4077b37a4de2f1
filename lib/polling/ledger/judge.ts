import { before, credible, isDateString, MARGIN } from "../model/dates.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Floor } from "../model/mark.ts";
import { classOf, completedAt, type Run, type RunClass } from "../model/records.ts";
import { isHeldDue, UNDATED } from "./held.ts";

/**
 * What is to be done about a response that a walk met:
 * settled: nothing; old: nothing, and no item either, its date alone says that it is before the floor;
 * before-floor, open and undated: an item; emit, replace and quarantine: all of it is needed.
 */
export type Decision = "settled" | "old" | "before-floor" | "open" | "undated" | "emit" | "replace" | "quarantine";

export interface Judgement {
  floor: Floor;
  /** Whether every response that was there when the floor was set has been met; not all of them, where a page could not be read (R9). */
  firstPassDone: boolean;
  isHistoryPartial: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** Whether held ones are looked at whatever their pauses: by what reads every page. */
  looksAtHeld: boolean;
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
  // The bus has refused it for good: it would refuse it again.
  const isRefused = entry.state === "quarantined" && entry.reason?.startsWith("bus:") === true;
  if (isRefused) return "settled";
  switch (entry.state) {
    case "emitted":
      return kind === "completed" && run.records.length > (entry.count ?? Number.POSITIVE_INFINITY)
        ? "replace"
        : "settled";
    // A waiting one has its records: it is looked at when its next check is due.
    case "before-floor":
    case "waiting":
      return "settled";
    case "held":
      return kind === "completed" ? decideHeld(run, entry, by) : "settled";
    case "open":
      if (kind === "unreadable") return "quarantine";
      return kind === "completed" ? "emit" : "settled";
    case "quarantined":
      if (kind === "unreadable") return "settled";
      if (kind === "open") return "open";
      return isFarBelow(completedAt(run), by.floor) ? "before-floor" : "emit";
  }
}

function decideHeld(run: Run, entry: LedgerEntry, by: Judgement): Decision {
  if (entry.reason === UNDATED) {
    // Not all of history was met when it was seen first, whatever was met since.
    const decision = decideUnknown(completedAt(run), { ...by, isHistoryPartial: true });
    if (decision === "old") return "before-floor";
    return decision === "undated" ? "settled" : decision;
  }
  return by.looksAtHeld || isHeldDue(entry, by.now) ? "emit" : "settled";
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
  if (by.firstPassDone && !by.isHistoryPartial) return "emit";
  if (!credible(completed, by.now)) return by.firstPassDone ? "undated" : "before-floor";
  return completed > at || (inclusive && completed === at) ? "emit" : "before-floor";
}
