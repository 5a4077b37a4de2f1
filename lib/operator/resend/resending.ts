import type { LedgerEntry } from "../../polling/model/ledger-entry.ts";
import type { Mark } from "../../polling/model/mark.ts";
import type { Run } from "../../polling/model/records.ts";
import type { Ports } from "../../polling/ports.ts";
import type { ShortPageEnds } from "../../polling/walk/list-end.ts";
import type { PolledSource } from "../../run/wiring.ts";

/** The context of sending events of one survey again. */
export interface Resending {
  ports: Ports;
  source: PolledSource;
  surveyId: number;
  /** As it was when the work began: nothing of it is written. */
  mark: Mark;
  shortPageEnds: ShortPageEnds;
  /** Epoch milliseconds after which nothing new is begun. */
  until: number;
  /** Works under the survey's lease, and calls `hold` before each request to the bus; undefined where others have it all the time. */
  underLease: <T>(work: (hold: () => Promise<void>) => Promise<T>) => Promise<T | undefined>;
}

/** The entry of an emitted response. */
export interface EmittedEntry extends LedgerEntry {
  id: number;
  eventId: string;
}

/** An emitted response, and how the service shows it now. */
export interface ReadAgain {
  entry: EmittedEntry;
  run: Run;
  /** Whether these are all of its records, however they lie. */
  isWhole: boolean;
}

/**
 * The outcome for one response.
 *
 * | outcome | meaning |
 * |---|---|
 * | sent | the bus has taken its event once more |
 * | changed | the service shows other contents than those of the event, so that these may not go out under its id |
 * | gone | the service does not show it any more |
 * | not-emitted | the ledger has no event of it to be sent; `reason` is its state, "forgotten" or "unknown" |
 * | unproved | nobody can tell now whether what was read is what its event has |
 * | failed | something could not be had, or the bus did not take it; `reason` is a code |
 * | refused | the bus refuses it for good; `reason` is its code |
 */
export type ResendOutcome = "sent" | "changed" | "gone" | "not-emitted" | "unproved" | "failed" | "refused";

export interface Resent {
  responseId: number;
  /** Null where it is not emitted. */
  eventId: string | null;
  revision: number | null;
  outcome: ResendOutcome;
  reason: string | null;
  /** Of a changed one: the revision as which its update will come, or came; null where updates are not given out. */
  update: number | null;
}

export function resent(entry: EmittedEntry, outcome: ResendOutcome, reason: string | null = null): Resent {
  const { id, eventId, revision = 1 } = entry;
  return { responseId: id, eventId, revision, outcome, reason, update: null };
}
