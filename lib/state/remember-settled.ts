import type { Lease, LedgerEntry, State } from "../polling/index.ts";
import type { SettledEntries, SettledMemory } from "./settled-memory.ts";

/** A survey under a lease of this process. */
interface Held {
  lease: Lease;
  settled: SettledEntries;
  /** Ids that were written under the lease: what was read of them meanwhile may be from before. */
  written: Set<LedgerEntry["id"]>;
}

/**
 * The state, without reading settled entries again that this process has read under an earlier lease. The head of a survey shows the same
 * hundred responses at each poll, and each would be looked up. Once the lease has run out nothing of it is used, as others may have
 * written.
 */
export function rememberSettled(state: State, memory: SettledMemory, now: () => number = Date.now): State {
  const surveys = new Map<number, Held>();

  return {
    ...state,
    async acquire(surveyId, owner, duration) {
      const lease = await state.acquire(surveyId, owner, duration);
      // An attempt in vain takes nothing from whoever holds the lease in this very process.
      if (lease !== undefined) {
        surveys.set(surveyId, { lease, settled: memory.under(surveyId, lease.fence), written: new Set() });
      }
      return lease;
    },
    async release(lease, mark) {
      if (surveys.get(lease.surveyId)?.lease === lease) surveys.delete(lease.surveyId);
      await state.release(lease, mark);
    },
    async entries(surveyId, ids) {
      const held = surveys.get(surveyId);
      if (held === undefined || now() >= held.lease.until) return state.entries(surveyId, ids);
      const { settled, written } = held;
      const known = new Map<LedgerEntry["id"], LedgerEntry>();
      for (const id of ids) {
        const entry = settled.get(id);
        if (entry !== undefined) known.set(id, entry);
      }
      const asked = ids.filter((id) => !known.has(id));
      if (asked.length === 0) return known;
      const read = await state.entries(surveyId, asked);
      // Whoever has the lease by now may have written.
      const isHeld = surveys.get(surveyId) === held;
      for (const id of asked) {
        const entry = read.get(id);
        if (entry === undefined) continue;
        known.set(id, entry);
        if (isHeld && !written.has(id)) settled.add(entry);
      }
      return known;
    },
    putEntries(surveyId, entries) {
      const held = surveys.get(surveyId);
      // Before the write: some of a failed one may be in the ledger all the same.
      for (const { id } of entries) {
        held?.settled.remove(id);
        held?.written.add(id);
      }
      return state.putEntries(surveyId, entries);
    },
  };
}
