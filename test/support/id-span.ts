import type { LedgerEntry } from "../../lib/polling/model/ledger-entry.ts";
import type { IdSpan } from "../../lib/polling/ports.ts";

/** As the table has it by its keys. */
export function spanOf(ids: Iterable<LedgerEntry["id"]>): IdSpan | undefined {
  const texts = [...ids]
    .filter((id) => typeof id === "number")
    .map(String)
    .sort();
  return texts.length === 0 ? undefined : { first: Number(texts[0]), last: Number(texts.at(-1)) };
}
