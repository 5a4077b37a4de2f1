import { credible, isDateString, MARGIN } from "../../events/build/date-string.ts";
import { before } from "../model/dates.ts";
import { type EntryState, FORGOTTEN, type LedgerEntry } from "../model/ledger-entry.ts";
import type { Floor } from "../model/mark.ts";
import type { DateRange } from "../model/phase.ts";
import { classOf, completedAt, type Run, type RunClass } from "../model/records.ts";
import { isHeldDue, UNDATED } from "./held.ts";

// What is to be done about a response that a walk met, by one table (R14). The ledger decides wherever it knows the response.

/**
 * Settled: nothing. Old: nothing, and no item either, as its date alone says that it is before the floor. Before-floor, open and undated: an
 * item. Emit, replace and quarantine: all of it is needed.
 */
export type Decision = "settled" | "old" | "before-floor" | "open" | "undated" | "emit" | "replace" | "quarantine";

export interface Judgement {
  floor: Floor;
  /** Whether every response was met that was there when the floor was set, but for what `isPartial` of the floor says. */
  isHistoryMet: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** Whether held ones are looked at whatever their pauses: by what reads every page. */
  looksAtHeld: boolean;
  /** Whether events are replaced at all. */
  replaces: boolean;
  /** Of the backfill that is under way. */
  backfill?: DateRange | undefined;
}

/**
 * Where a completed response lies (R15). After: above the floor, or listed since history was met. Old: below floor − 3 h. Before: at or below the floor,
 * or met with history. Unclear: nothing tells, as its date is not credible and not all of history was met. Asked: a backfill asks for it, wherever it lies.
 */
type Side = "after" | "old" | "before" | "unclear" | "asked";

/**
 * How the ledger knows a response, its entry looked at beside what was read. Short: its event has fewer records. Held: until its next look. Unproved: held, and it
 * is time for a look. Undated: held, as its date was not credible.
 */
type Known = "unknown" | EntryState | "short" | "unproved" | "undated";

/** By the class of what was read, and on which side of the floor a completed one lies. */
type Row = Record<Exclude<RunClass, "completed">, Decision> & { completed: Decision | Record<Side, Decision> };

const settled: Row = { open: "settled", unreadable: "settled", completed: "settled" };

const TABLE: Record<Known, Row> = {
  unknown: {
    open: "open",
    // Whether it is completed cannot be read, so its date may be that of an open one: it settles nothing.
    unreadable: "quarantine",
    completed: { after: "emit", old: "old", before: "before-floor", unclear: "undated", asked: "emit" },
  },
  emitted: settled,
  short: { ...settled, completed: "replace" },
  "before-floor": {
    ...settled,
    completed: { after: "settled", old: "settled", before: "settled", unclear: "settled", asked: "emit" },
  },
  // The ledger keeps its records, and it is looked at when its next check is due.
  waiting: settled,
  // The bus would refuse it again.
  refused: settled,
  open: { open: "settled", unreadable: "quarantine", completed: "emit" },
  held: settled,
  unproved: { ...settled, completed: "emit" },
  undated: {
    ...settled,
    completed: { after: "emit", old: "before-floor", before: "before-floor", unclear: "settled", asked: "emit" },
  },
  quarantined: {
    open: "open",
    unreadable: "settled",
    completed: { after: "emit", old: "before-floor", before: "emit", unclear: "emit", asked: "emit" },
  },
};

/** Decides by the ledger alone wherever it knows the response; dates only ever settle unknown ones far below the floor. */
export function decide(run: Run, entry: LedgerEntry | undefined, by: Judgement): Decision {
  const known = knownAs(run, entry, by);
  const decision = TABLE[known][classOf(run)];
  if (typeof decision === "string") return decision;
  // An undated one was first seen when not all of history was met, whatever was met since.
  return decision[
    sideOf(completedAt(run), known === "undated" ? { ...by, floor: { ...by.floor, isPartial: true } } : by)
  ];
}

function knownAs(run: Run, entry: LedgerEntry | undefined, by: Judgement): Known {
  if (entry === undefined) return "unknown";
  if (entry.reason === FORGOTTEN) return "emitted";
  const isShort = entry.state === "emitted" && run.records.length > (entry.count ?? Number.POSITIVE_INFINITY);
  if (isShort && by.replaces) return "short";
  if (entry.state !== "held") return entry.state;
  if (entry.reason === UNDATED) return "undated";
  return by.looksAtHeld || isHeldDue(entry, by.now) ? "unproved" : "held";
}

/** Whether a response is completed and its date alone says that it is before the floor. Such a response has no item, unless it was open. */
export function isOld(run: Run, floor: Floor): boolean {
  return classOf(run) === "completed" && isFarBelow(completedAt(run), floor);
}

/** Far below the floor, which was credible when it was set: by a clock set back since, all of history would be new. */
function isFarBelow(completed: string | null, { at }: Floor): boolean {
  return at !== null && completed !== null && isDateString(completed) && completed < before(at, MARGIN);
}

/** Whether the backfill that is under way asks for what was completed then. */
export function isAsked(completed: string | null, { backfill, now }: Pick<Judgement, "backfill" | "now">): boolean {
  return backfill !== undefined && credible(completed, now) && completed >= backfill.from && completed <= backfill.to;
}

function sideOf(completed: string | null, by: Judgement): Side {
  const { at, inclusive, isPartial = false } = by.floor;
  if (at === null) return "after";
  if (isAsked(completed, by)) return "asked";
  if (isFarBelow(completed, by.floor)) return "old";
  if (by.isHistoryMet && !isPartial) return "after";
  if (!credible(completed, by.now)) return by.isHistoryMet ? "unclear" : "before";
  return completed > at || (inclusive && completed === at) ? "after" : "before";
}
