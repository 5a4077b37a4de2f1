import { isObject } from "../../events/build/fields.ts";
import type { PollContext } from "../context.ts";
import { type LedgerEntry, WITHOUT_RECORDS } from "../model/ledger-entry.ts";
import type { Ports } from "../ports.ts";

/** The metrics and metadata of a response as far as they are known. Bodies are as they were read. */
export interface Details {
  metrics?: unknown;
  metadata?: unknown;
}

/** The part of a waiting or quarantined response that is kept, so that the list is not needed again. */
export interface Kept {
  records: unknown[];
  details: Details;
}

/** An item of the table holds at most 400 KB. */
const MOST_IN_ITEM = 100_000;

/** The fields of a ledger entry that hold `kept`, in the item itself or in the vault. */
export async function keep(
  ctx: PollContext,
  id: LedgerEntry["id"],
  digest: string,
  kept: Kept,
): Promise<Pick<LedgerEntry, "kept" | "keptKey">> {
  if (Buffer.byteLength(JSON.stringify(kept)) <= MOST_IN_ITEM) return { kept };
  const keptKey = `kept/${ctx.source.name}/${ctx.surveyId}/${id}/${digest}.json`;
  await ctx.ports.vault.put(keptKey, kept);
  return { keptKey };
}

/** The part of an entry that was kept; undefined when it is gone. */
export async function takeOut(ctx: { ports: Pick<Ports, "vault"> }, entry: LedgerEntry): Promise<Kept | undefined> {
  const kept = entry.keptKey === undefined ? entry.kept : await ctx.ports.vault.get(entry.keptKey);
  if (!isObject(kept) || !Array.isArray(kept.records) || kept.records.length === 0) return undefined;
  return { records: kept.records, details: isObject(kept.details) ? kept.details : {} };
}

/** An entry that has lost its records and so cannot go out. As an open one it is new again to the next walk that meets it, or to a re-check. */
export function withoutRecords({ id }: Pick<LedgerEntry, "id">, now: number): LedgerEntry {
  return { id, state: "open", reason: WITHOUT_RECORDS, firstSeen: now, nextCheck: now };
}
