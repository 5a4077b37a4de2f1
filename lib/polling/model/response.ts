import type { Change, Origin } from "../../events/index.ts";
import type { DetailKind, LedgerEntry, UsedPatience } from "./ledger-entry.ts";

/** Why the records of a response are all of it (R4, R6). Both pages: joined across a proved boundary. Kept: proved before, and has waited since. */
export type Proof = "its page" | "both pages" | "single read" | "kept" | "nothing";

/** The entry of an event that is to be replaced, what differs from it, and when that was seen first (epoch milliseconds). */
export interface Replaced {
  entry: LedgerEntry;
  changes: Change[];
  observedAt: number;
}

/** The metrics and metadata of a response as far as they are known. Bodies are as they were read. */
export interface Details {
  metrics?: unknown;
  metadata?: unknown;
}

export const ABSENT = "absent";

export type EventPart = DetailKind | "questions";

/** A part that an event is to have and lacks. Final: the event goes out without it. Else its response waits for it. */
export interface Lack {
  part: EventPart;
  /** `ABSENT`, or why it could not be had. */
  code: string;
  isFinal: boolean;
}

/** A completed response on its way from its page, or from the ledger, to its event. */
export interface Response {
  responseId: number;
  /** The records as they were read, fit to leave the process. */
  records: unknown[];
  /** Of what was read; undefined where nobody knows how pages list it. */
  digest: string | undefined;
  proof: Proof;
  /** The page on which it begins, and when that was read (epoch milliseconds); absent where no page has shown it now. */
  seen?: { page: number; order: "asc" | "desc"; at: number } | undefined;
  replaces?: Replaced | undefined;
  /** The date of completion; "" where that is not credible. */
  completed: string;
  origin: Origin;
  /** Epoch milliseconds at which it was first seen complete; attempts to make its event before this one; and how much of its patience these have used. */
  firstSeen: number;
  attempts: number;
  used?: UsedPatience | undefined;
  details: Details;
  /** Milliseconds of the service. */
  took?: Partial<Record<keyof Details, number>> | undefined;
  /** Where its kept records lie in the vault, to be deleted once it is out. */
  keptKey?: string | undefined;
}
