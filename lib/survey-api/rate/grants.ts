/** Milliseconds of a slot, and how many of them are kept: the last minute. */
const SLOT = 100;
const SLOTS = 600;
/** Milliseconds of what was granted just now. */
const RECENT = 10_000;
/** Seconds below which a span says nothing. */
const SHORTEST_SPAN = 0.5;

/** Counts of what a service granted, by tenths of a second. Times are milliseconds of one clock. */
export interface Grants {
  add(at: number): void;
  /** How many came in the last ten seconds, and in how many seconds. */
  recent(at: number): { granted: number; seconds: number };
  /** How many came at `at` or later. */
  since(at: number): number;
  /**
   * Requests a second that the service sustains at least. In any span it grants at most `burst` and its rate. Right after `emptiedAt`, when
   * it had just refused, it grants at most its rate.
   */
  sustained(at: number, burst: number, emptiedAt: number): number;
}

export function createGrants(): Grants {
  const slots = new Map<number, number>();
  return {
    add(at) {
      const slot = Math.floor(at / SLOT);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      if (slots.size <= 2 * SLOTS) return;
      for (const old of slots.keys()) if (old <= slot - SLOTS) slots.delete(old);
    },
    recent(at) {
      const from = (at - RECENT) / SLOT;
      const slotsOf = [...slots].filter(([slot]) => slot >= from);
      const granted = slotsOf.reduce((sum, [, count]) => sum + count, 0);
      return { granted, seconds: (at - (slotsOf[0]?.[0] ?? at / SLOT) * SLOT) / 1000 };
    },
    since(at) {
      let count = 0;
      for (const [slot, granted] of slots) if (slot * SLOT >= at) count += granted;
      return count;
    },
    sustained(at, burst, emptiedAt) {
      const last = Math.floor(at / SLOT);
      let count = 0;
      let best = 0;
      for (let slot = last; slot > last - SLOTS; slot -= 1) {
        count += slots.get(slot) ?? 0;
        const seconds = (at - slot * SLOT) / 1000;
        if (seconds < SHORTEST_SPAN) continue;
        const savedUp = slot === Math.ceil(emptiedAt / SLOT) ? 0 : burst;
        best = Math.max(best, (count - savedUp) / seconds);
      }
      return best;
    },
  };
}
