import type { Origin } from "../../events/index.ts";
import type { Mark } from "./mark.ts";

export * from "./mark.ts";

/** State of a response in the ledger. Emitted and before-floor ones are settled. */
export type EntryState = "emitted" | "before-floor" | "open" | "waiting" | "quarantined";

/** The states in which an entry is looked at again by itself; of a quarantined one the kept records go then. */
export type CheckedState = Extract<EntryState, "waiting" | "open" | "quarantined">;

/** One ledger item. Only waiting and quarantined ones hold records. Times are epoch milliseconds. */
export interface LedgerEntry {
  /** A record without a readable responseId is held under the digest of its JSON instead. */
  id: number | `record-${string}`;
  state: EntryState;
  digest?: string;
  /** Number of its records when it was emitted or last seen. */
  count?: number;
  eventId?: string;
  revision?: number;
  /** When it is looked at again; absent when never. */
  nextCheck?: number;
  firstSeen?: number;
  /** Attempts to get what it waits for. */
  attempts?: number;
  /** How much of its patience is used up. */
  patience?: UsedPatience;
  origin?: Origin;
  reason?: string;
  /** When the full pass began that was under way as it was held first, 0 for none; only of held ones (see held.ts). */
  heldIn?: number;
  /** What is kept of it to go on without the list, or where that lies in the vault. */
  kept?: unknown;
  keptKey?: string;
}

/** Whether an entry is for a redrive: a quarantined one, or that of an event whose repair the bus has refused. */
export function isForRedrive({ state, reason }: Pick<LedgerEntry, "state" | "reason">): boolean {
  return state === "quarantined" || (state === "emitted" && reason?.startsWith("bus:") === true);
}

/** Reason of an open entry that was a waiting one, whose records were to be kept and are gone. */
export const WITHOUT_RECORDS = "kept-records-gone";

/** What an event has beside the records of its response: operations 11 and 13. */
export type DetailKind = "metrics" | "metadata";

/** What the last attempt for a waiting response left behind. Milliseconds. */
export interface UsedPatience {
  /** Epoch milliseconds of that attempt. */
  askedAt: number;
  /** Time that counted until then, and downtime of the operation until then. */
  waited: Record<DetailKind, number>;
  down: Record<DetailKind, number>;
  /** Epoch milliseconds of the last attempt of each kind that was made, or of the first look; absent on items of before this was kept. */
  asked?: Record<DetailKind, number>;
}

/** What is known of an operation's failing for the whole source. */
export interface Outage {
  /** Milliseconds of the outages that are over. */
  down: number;
  /**
   * Failures since the last answer: epoch milliseconds of the first of them, and different responses, three at most.
   * Confirmed: it is an outage, and no matter of these responses. Chosen: those that the next tick asks for in any case.
   */
  failing?: { since: number; responses: string[]; confirmed?: boolean; chosen?: string[] };
  /** The response whose answer came last: what was had once can be had again while the operation works. */
  answered?: { surveyId: number; responseId: number };
}

export type Outages = Record<DetailKind, Outage>;

/** The right to poll a survey, with the mark as it was when the lease was taken. */
export interface Lease {
  surveyId: number;
  owner: string;
  fence: number;
  /** Epoch milliseconds. */
  until: number;
  mark: Mark;
}

/** How a count that moved without a find is followed up. */
export interface Chase {
  /** Responses that counts have shown and no scan has found. */
  missing: number;
  /** Ticks for which the head is read again: lists may lag behind counts. */
  owed: number;
  /** Whether they are looked for below the head. */
  seeking: boolean;
  /** Epoch milliseconds before which no further search below the head begins. */
  restUntil: number;
  /** Whether the last ones were found below the head: then the next ones are looked for there at once. */
  deep: boolean;
}

/** How far a survey's counts can be trusted to move with every completion. */
export interface Trust {
  /** New responses in a row of misses, and of hits since. */
  misses: number;
  hits: number;
  /** New responses met that the counts had not shown: a miss unless the next list shows them. */
  unseen: number;
}

/** What the tick knows of a survey without reading its mark: its last counts and when it is due by itself. */
export interface SurveyRow {
  /** `responses`, `correct` and `unpaidResponses` of the list that led to the last poll; null when unreadable. */
  counts: (number | null)[];
  chase: Chase;
  trust: Trust;
  /** Epoch milliseconds; absent when nothing of it is due by itself. */
  dueAt?: number;
  /** Epoch milliseconds at which background work is due, 0 at once; absent when there is none. */
  backgroundAt?: number;
  /** Epoch milliseconds at which its books were closed last; absent when they never were. */
  booksAt?: number;
  /** Epoch milliseconds of the last reading of its head, of the last background work, and of the last new response. */
  polledAt: number;
  workedAt: number;
  activeAt: number;
}

/** No tick and no clock is later than the others by more, or a clock far ahead would keep a row for itself. Milliseconds. */
export const LONGEST_OVERLAP = 300_000;

/** Whether a tick beside the one that made this row has written a later one. */
export function isOutdated(row: SurveyRow, standing: SurveyRow | undefined): boolean {
  const writtenAt = Math.max(row.polledAt, row.workedAt);
  const isLater = (at: number): boolean => at > writtenAt && at <= writtenAt + LONGEST_OVERLAP;
  return standing !== undefined && (isLater(standing.polledAt) || isLater(standing.workedAt));
}

/** How one of the survey list's counts has moved with completions, and without. */
export interface CountEvidence {
  /** Times it moved and new responses were found; moved and none were; stood still although some were found. */
  hits: number;
  idle: number;
  misses: number;
}

export interface AccountState {
  /** Epoch milliseconds of the first tick that read the list. */
  firstTick?: number;
  /** Largest credible date string of the first tick; absent when that read none, or did not come to its end. */
  sourceFloor?: string;
  /** Fingerprint of the service's base URL. */
  service?: string;
  lastTick?: number;
  /** Epoch milliseconds at which the last tick read the survey list. */
  listedAt?: number;
  /** Surveys whose catch-up the last tick has left to slices; absent: none. */
  catchingUp?: number;
  /** Whether a page of fewer than 100 records was the last one whenever it was met. */
  shortPageEnds?: boolean;
  /** Requests spent on background work beyond its budget: paid back before any more of it is done. */
  overdrawn?: number;
  /** What was learned of the survey list's counts (see counts.ts). */
  counts?: CountEvidence[];
  outages?: Outages;
  rows: Map<number, SurveyRow>;
  /** Epoch milliseconds before which some worker was told to leave the service alone; absent when that is over. */
  pausedUntil?: number;
  /** What the client of some worker has learned of the service's rate: passed on as it is. */
  learned?: unknown;
}

/** What is stored once and never changed: where history begins. */
export const STORED_ONCE: readonly (keyof AccountState)[] = ["firstTick", "sourceFloor"];

/** What a tick writes of it: the rest has writers of its own. */
export type AccountChanges = Partial<Omit<AccountState, "rows" | "pausedUntil" | "learned">>;

/** What judging a response needs of its entry: never the kept records, which may be large. */
export const JUDGED_BY = [
  "state",
  "digest",
  "count",
  "eventId",
  "revision",
  "reason",
  "firstSeen",
  "attempts",
  "heldIn",
] as const satisfies (keyof LedgerEntry)[];
