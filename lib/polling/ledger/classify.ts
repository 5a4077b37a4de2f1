import { credible } from "../../events/build/date-string.ts";
import type { DateRange } from "../model/books.ts";
import { type EntryState, FORGOTTEN, type LedgerEntry } from "../model/ledger-entry.ts";
import { classOf, completedAt, type Run, type RunClass, startedAt } from "../model/records.ts";
import { isHistory, type Start } from "../model/source.ts";
import { isHeldDue } from "./entries.ts";
import { isShort } from "./replace.ts";

// What is to be done about a response that a reading met, by one table (R14). The ledger decides wherever it knows the response.

/** Settled: nothing. Before-start and open: an item. Emit, replace and quarantine: all of it is needed. */
export type Decision = "settled" | "before-start" | "open" | "emit" | "replace" | "quarantine";

export interface Criteria {
  start: Start;
  /** Whether the books of the survey have ever closed: all that was listed has an item since then. */
  hasBooks: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** Whether held ones are looked at whatever their pauses: by what reads every page. */
  looksAtHeld: boolean;
  /** Whether events are replaced at all. */
  replaces: boolean;
  /** Of the backfill that is under way. */
  backfill?: DateRange | undefined;
}

/** Where a completed response lies by the start (R15). Asked: a backfill asks for it, wherever it lies. */
type Side = "after" | "before" | "asked";

/**
 * How the ledger knows a response, its entry looked at beside what was read. Listed since: there is no entry, and there have been books. Short: its event has fewer
 * records. Held: until its next look. Unproved: held, and it is time for a look. Quarantined since: it was open, or listed since, when it could not be read.
 */
type Known = "unknown" | "listed since" | EntryState | "short" | "unproved" | "quarantined since";

/** By the class of what was read, and on which side of the start a completed one lies. */
type Row = Record<Exclude<RunClass, "completed">, Decision> & { completed: Decision | Record<Side, Decision> };

const settled: Row = { open: "settled", unreadable: "settled", completed: "settled" };

const TABLE: Record<Known, Row> = {
  unknown: {
    // fault: open-emitted
    open: "open",
    // Whether it is completed cannot be read, so its date may be that of an open one: it settles nothing.
    unreadable: "quarantine",
    completed: { after: "emit", before: "before-start", asked: "emit" },
  },
  "listed since": { open: "open", unreadable: "quarantine", completed: "emit" },
  emitted: settled,
  // fault: short-not-replaced
  short: { ...settled, completed: "replace" },
  "before-start": { ...settled, completed: { after: "settled", before: "settled", asked: "emit" } },
  // The ledger keeps its records, and it is looked at when its next check is due.
  waiting: settled,
  // The bus would refuse it again.
  refused: settled,
  // fault: open-not-seen-again
  open: { open: "settled", unreadable: "quarantine", completed: "emit" },
  held: settled,
  unproved: { ...settled, completed: "emit" },
  quarantined: {
    open: "open",
    unreadable: "settled",
    completed: { after: "emit", before: "before-start", asked: "emit" },
  },
  "quarantined since": { open: "open", unreadable: "settled", completed: "emit" },
};

/** Decides by the ledger alone wherever it knows the response, and by the start before a survey has had books. */
export function classify(run: Run, entry: LedgerEntry | undefined, by: Criteria): Decision {
  const known = knownAs(run, entry, by);
  const decision = TABLE[known][classOf(run)];
  return typeof decision === "string" ? decision : decision[sideOf(run, by)];
}

function knownAs(run: Run, entry: LedgerEntry | undefined, by: Criteria): Known {
  // fault: start-by-date-alone
  if (entry === undefined) return by.hasBooks ? "listed since" : "unknown";
  if (entry.reason === FORGOTTEN) return "emitted";
  if (by.replaces && isShort(run, entry)) return "short";
  if (entry.state === "quarantined" && entry.isNew) return "quarantined since";
  if (entry.state !== "held") return entry.state;
  // fault: held-for-ever
  return by.looksAtHeld || isHeldDue(entry, by.now) ? "unproved" : "held";
}

/** Whether the backfill that is under way asks for what was completed then. */
export function isAsked(completed: string | null, { backfill, now }: Pick<Criteria, "backfill" | "now">): boolean {
  return backfill !== undefined && credible(completed, now) && completed >= backfill.from && completed <= backfill.to;
}

function sideOf(run: Run, by: Criteria): Side {
  if (isAsked(completedAt(run), by)) return "asked";
  return isBefore(run, by) ? "before" : "after";
}

/** Whether a completed response is history. One without a credible date of completion is judged by its beginning, as nothing else is known of it. */
export function isBefore(run: Run, { start, now }: Pick<Criteria, "start" | "now">): boolean {
  const date = [completedAt(run), startedAt(run)].find((one) => credible(one, now));
  return start.at !== null && (date == null || isHistory(date, start));
}
