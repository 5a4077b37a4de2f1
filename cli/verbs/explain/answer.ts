import type { SourceConfig } from "../../../lib/config/index.ts";
import type { Looked } from "../../../lib/operator/look.ts";
import type { AccountState, LedgerEntry, Mark } from "../../../lib/polling/index.ts";
import type { EventLog } from "../../target/event-log.ts";

// Times are epoch milliseconds.

/** A part that took a time which the log tells. */
export type Timed = "metrics" | "metadata" | "bus" | "ledger";

/** Something that happened. */
export interface Step {
  at: number | null;
  what:
    | ("completed" | "met" | "listed" | "proved" | "details" | "bus" | "ledger" | "updated" | "changed")
    | ("gone" | "deleted" | "waiting" | "held" | "quarantined" | "refused" | "open" | "before the floor")
    | ("books" | "asked");
  detail: string;
  took: { what: Timed; ms: number }[];
}

export interface Next {
  what: string;
  at: number | null;
  command: string | null;
}

/** The output of `explain --json`, beside `schemaVersion`. */
export interface ExplainAnswer {
  source: string;
  /** Null where no survey has it. */
  surveyId: number | null;
  /** Text for a record without a readable responseId. */
  responseId: LedgerEntry["id"];
  verdict: LedgerEntry["state"] | "deleted" | "unknown";
  /** Settled: nothing is due. Coming: it goes on without anybody. Person: it needs somebody. */
  outlook: "settled" | "coming" | "person" | "unknown";
  sentence: string;
  /** Oldest first. */
  steps: Step[];
  next: Next;
  /** The item of the response; null where there is none. */
  ledger: {
    state: string;
    eventId: string | null;
    revision: number | null;
    emittedAt: number | null;
    firstSeen: number | null;
    nextCheck: number | null;
    attempts: number | null;
    records: number | null;
    reason: string | null;
    goneSince: number | null;
  } | null;
  survey: {
    name: string | null;
    phase: string;
    floor: string | null;
    highWater: number | null;
    booksClosedAt: number | null;
    /** Null where no books tell. */
    listedByBooks: boolean | null;
  } | null;
  /** `from`: from when on all of the log was read; null: from its beginning. */
  log: { lines: number; from: number | null; note: string | null };
}

/** All that is known of one response of a survey. Times are epoch milliseconds. */
export interface Facts {
  source: Pick<
    SourceConfig,
    "name" | "interval" | "absentAfter" | "enrichmentPatience" | "timeZone" | "rescan" | "logLevel" | "startFrom"
  >;
  /** Whether subscribers are told of deletions. */
  tellsDeleted: boolean;
  surveyId: number;
  id: LedgerEntry["id"];
  entry: LedgerEntry | undefined;
  mark: Mark;
  account: Pick<AccountState, "lastTick" | "pausedUntil" | "outages" | "start">;
  /** Whether the last closed books list it; undefined where nothing tells. */
  isListed: boolean | undefined;
  log: EventLog;
  /** The answer of the service now; null: it has no such response. Undefined: it was not asked. */
  looked: Looked | null | undefined;
  /** Set where no tick comes before somebody starts it. */
  isStopped: boolean;
  /** How the command line names the poller. */
  flags: string;
  now: number;
}
