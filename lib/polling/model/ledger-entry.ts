import type { Origin } from "../../events/index.ts";

/**
 * State of a response in the ledger (R14). Settled are emitted and before-start ones. A waiting one lacks metrics or metadata, or the bus has not taken its event; a held one a proof
 * of its contents. A quarantined one cannot be read, and of a refused one the bus has refused the event for good.
 */
export type EntryState = "emitted" | "before-start" | "open" | "held" | "waiting" | "quarantined" | "refused";

/** Polls that leave a response before it counts as held. */
export const POLLS = 3;

/** The states in which an entry has a next check. At that of a quarantined or refused one its kept records go. */
export type CheckedState = Exclude<EntryState, "emitted" | "before-start">;

/** A reading of a response that differs from its event. */
export interface Sight {
  digest: string;
  count: number;
  /** Epoch milliseconds. */
  at: number;
  /** Readings in a row that have all differed. */
  times: number;
}

/** The names of the keys under which an inviter knows a respondent: on the records, and in the metadata. */
export const PERSON_KEYS = ["crk", "referrer"] as const;
export type PersonKey = (typeof PERSON_KEYS)[number];

/** One ledger item. Only waiting, quarantined and refused ones hold records. Times are epoch milliseconds. */
export interface LedgerEntry {
  /** A record without a readable responseId is held under the digest of its JSON instead. */
  id: number | `record-${string}`;
  state: EntryState;
  digest?: string;
  /** Number of its records when it was emitted or last seen. Without it the event is never replaced: its response is forgotten. */
  count?: number;
  eventId?: string;
  revision?: number;
  /** When the bus took its event, of a replaced one the last. */
  emittedAt?: number;
  /** When it is looked at again; absent when never. */
  nextCheck?: number;
  firstSeen?: number;
  /** Attempts to get what it waits for, or is held for. */
  attempts?: number;
  patience?: UsedPatience;
  origin?: Origin;
  /** Codes, never contents. */
  reason?: string;
  /** Of a quarantined one: it was open before, or first listed after books. It goes out once it can be read, whatever its date. */
  isNew?: true;
  /** The event that is to replace the emitted one, noted before the bus gets it: no revision has two contents (R19). */
  next?: { revision: number; contents: string };
  /** A reading of an emitted one that differs from its event (R20), until another one tells whether that holds still. */
  sight?: Sight;
  /** Code with which the bus has refused the event that was to replace the emitted one. */
  refusedRevision?: string;
  /** Of an emitted one that closed books do not list: `closedAt` of the first of these, or of those by which subscribers were told. */
  gone?: { since: number; told?: true };
  /** Of a held one: hashes of the answers that pages have shown. The single read has to give them all. */
  shown?: string[];
  /** The kept part of the response, to go on without the list, or where that lies in the vault. */
  kept?: unknown;
  keptKey?: string;
  /** Keyed hashes of the keys by which its person is found. An empty list: it has no such key. None: that was not asked for, or not known. */
  person?: Partial<Record<PersonKey, string[]>>;
}

/** The part of each emitted response that is read when books have closed. */
export interface EmittedResponse {
  id: number;
  eventId: string;
  /** Epoch milliseconds. */
  emittedAt: number;
  gone?: LedgerEntry["gone"];
}

export function emittedOf({ id, eventId = "", emittedAt = 0, gone }: LedgerEntry): EmittedResponse {
  return { id: Number(id), eventId, emittedAt, ...(gone === undefined ? {} : { gone }) };
}

/** Whether an entry is for a redrive: a quarantined or refused one, or that of an event whose replacement the bus has refused. */
export function isForRedrive({ state, refusedRevision }: Pick<LedgerEntry, "state" | "refusedRevision">): boolean {
  return state === "quarantined" || state === "refused" || refusedRevision !== undefined;
}

/** Reason of a settled entry that an operator had forgotten: nothing of it goes out any more. */
export const FORGOTTEN = "forgotten";

/** Reason of an open entry that was a waiting one, whose records were to be kept and are gone. */
export const WITHOUT_RECORDS = "kept-records-gone";

/** The parts of an event that do not come from records: operations 11 and 13. */
export type DetailKind = "metrics" | "metadata";

/** The patience of a waiting response as its last attempt left it. Milliseconds. */
export interface UsedPatience {
  /** Epoch milliseconds of that attempt. */
  askedAt: number;
  /** Time that counted until then. */
  waited: Record<DetailKind, number>;
}

/** The fields of an entry that judging needs: never the kept records, which may be large. */
export const JUDGED_BY = [
  "state",
  "digest",
  "count",
  "eventId",
  "revision",
  // A later event may come to nothing: then the facts of the one before are written anew.
  "emittedAt",
  "next",
  "refusedRevision",
  "sight",
  "gone",
  "reason",
  "isNew",
  "firstSeen",
  "attempts",
  "shown",
  "person",
] as const satisfies (keyof LedgerEntry)[];
