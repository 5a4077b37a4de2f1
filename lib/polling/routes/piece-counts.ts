import type { PollContext } from "../context.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Pass } from "../model/mark.ts";
import type { Run } from "../model/records.ts";

// Where records of one response lie apart, only a count over a whole pass can show that an event was short.

/** By response id: records met in this pass minus those of the event. */
export type Surplus = Map<number, number>;

/** Adds the records of one page. */
export function countPieces(
  surplus: Surplus,
  runs: Run[],
  known: (responseId: number) => LedgerEntry | undefined,
): void {
  for (const { responseId, records } of runs) {
    const before = surplus.get(responseId) ?? missing(known(responseId));
    if (before !== undefined) surplus.set(responseId, before + records.length);
  }
}

/** Asked for the first part only: a scan soon forgets the entry, and the other parts may be many pages away. */
function missing(entry: LedgerEntry | undefined): number | undefined {
  return entry?.state === "emitted" && entry.count !== undefined ? -entry.count : undefined;
}

export function shortOnes(surplus: Surplus): number[] {
  return [...surplus].flatMap(([responseId, more]) => (more > 0 ? [responseId] : []));
}

/** What earlier slices have counted; undefined when it is gone, and when it is of no use. */
export async function loadSurplus(ctx: PollContext, { counted }: Pass): Promise<Surplus | undefined> {
  if (counted === undefined) return undefined;
  if (counted.key === undefined) return new Map();
  const kept = await ctx.ports.vault.get(counted.key);
  return Array.isArray(kept) ? new Map(kept as [number, number][]) : undefined;
}

/** Keeps it under a name of its own for each slice, as the ids are. */
export async function keepSurplus(ctx: PollContext, surplus: Surplus | undefined): Promise<Pass["counted"]> {
  if (surplus === undefined) return undefined;
  const key = `counts/${ctx.source.name}/${ctx.surveyId}/${ctx.lease.fence}-${ctx.ports.clock.now()}.json`;
  await ctx.ports.vault.put(key, [...surplus]);
  return { key };
}
