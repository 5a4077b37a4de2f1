import type { LedgerEntry } from "../polling/model/ledger-entry.ts";

/** Why an entry was set aside: of a refused event, or one whose replacement was refused, the code of the bus. */
export function reasonOf({ reason, refusedRevision }: Pick<LedgerEntry, "reason" | "refusedRevision">): string {
  return refusedRevision ?? reason ?? "unknown";
}
