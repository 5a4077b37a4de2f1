import type { Origin } from "../../events/index.ts";

/** State of a response in the ledger. Emitted and before-floor ones are settled; a held one is completed, and nothing proves its contents yet. */
export type EntryState = "emitted" | "before-floor" | "open" | "held" | "waiting" | "quarantined";

/** The states in which an entry is looked at again by itself; of a quarantined one the kept records go then. */
export type CheckedState = Extract<EntryState, "waiting" | "held" | "open" | "quarantined">;

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
  /** Attempts to get what it waits for, or is held for. */
  attempts?: number;
  /** How much of its patience is used up. */
  patience?: UsedPatience;
  origin?: Origin;
  reason?: string;
  /** Of a held one: hashes of the answers that pages have shown. Operation 9 has to give them all. */
  shown?: string[];
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
  "shown",
] as const satisfies (keyof LedgerEntry)[];
