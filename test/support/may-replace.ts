import { FORGOTTEN, type LedgerEntry, WITHOUT_RECORDS } from "../../lib/polling/index.ts";

/** Whether the ledger takes an entry in the place of one that it has: see `ledger-writes.ts`, which asks the table the same. */
export function mayReplace(known: LedgerEntry | undefined, entry: LedgerEntry): boolean {
  if (known === undefined) return true;
  const { state, revision = 1, attempts, next, reason, refusedRevision, gone } = entry;
  const isOfRepair = [attempts, next, refusedRevision, gone].some((one) => one !== undefined) || revision > 1;
  if (known.reason === FORGOTTEN && reason !== FORGOTTEN && (state !== "emitted" || isOfRepair)) return false;
  if (state === "emitted") {
    return !isOfRepair || known.state !== "emitted" || (known.revision ?? 1) <= revision;
  }
  if (known.state === "emitted") return false;
  if (state === "held") return known.state !== "waiting" && known.state !== "refused";
  if (state !== "open") return true;
  if (known.state === "waiting" || known.state === "refused") return reason === WITHOUT_RECORDS;
  return known.state !== "held";
}
