import type { SourceConfig } from "../../../lib/config/index.ts";
import type { Looked } from "../../../lib/operator/look.ts";
import type { AccountState } from "../../../lib/polling/model/account.ts";
import type { LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import type { Mark } from "../../../lib/polling/model/mark.ts";
import type { EventLog } from "../../target/event-log.ts";

/** All that is known of one response of a survey. Times are epoch milliseconds. */
export interface Facts {
  source: Pick<
    SourceConfig,
    "name" | "interval" | "absentAfter" | "enrichmentPatience" | "timeZone" | "patrol" | "logLevel" | "startFrom"
  >;
  /** Whether subscribers are told of deletions. */
  tellsDeleted: boolean;
  surveyId: number;
  id: LedgerEntry["id"];
  entry: LedgerEntry | undefined;
  mark: Mark;
  account: Pick<AccountState, "lastTick" | "pausedUntil" | "breakers" | "start">;
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
