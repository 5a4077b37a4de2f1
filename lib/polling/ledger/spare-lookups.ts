import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { IdSpan, State } from "../ports.ts";

/** A lookup of so many ids that finds none of them is one of a catch-up; anything smaller costs less than to learn the span. */
const MANY = 10;

/**
 * The ledger of one survey, not asked for what it cannot hold. Once a lookup of many ids has found none of them, the span of the ids in
 * the ledger is read, and what lies outside of it is not looked up any more: a catch-up over a list in the order of its ids then reads
 * nothing from the ledger. Only whoever holds the survey's lease enters new ids: what this knows is good for as long as `isHeld`.
 */
export function spareLookups(state: State, isHeld: () => boolean): State {
  /** What was in the ledger when its span was read; undefined: not read yet. */
  let before: { span: IdSpan | undefined } | undefined;
  /** Lowest and highest id entered under this lease. */
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  const mayHold = (id: LedgerEntry["id"]): boolean =>
    before === undefined ||
    !isHeld() ||
    typeof id === "string" ||
    lies(id, before.span) ||
    (lowest <= id && id <= highest);

  return {
    ...state,
    async entries(surveyId, ids, old) {
      const asked = ids.filter(mayHold);
      if (asked.length === 0) return new Map();
      const found = await state.entries(surveyId, asked, old);
      // Of history from before the floor there are no entries: it tells nothing of a catch-up.
      const isCatchUp = found.size === 0 && asked.filter((id) => !old?.has(id)).length >= MANY;
      if (isCatchUp) before ??= { span: await state.span(surveyId) };
      return found;
    },
    putEntries(surveyId, entries) {
      // Before the write: some of a failed one may be in the ledger all the same.
      for (const { id } of entries) {
        if (typeof id === "string") continue;
        lowest = Math.min(lowest, id);
        highest = Math.max(highest, id);
      }
      return state.putEntries(surveyId, entries);
    },
  };
}

/** By their texts, as the table's keys have it: 1000 comes before 999. */
function lies(id: number, span: IdSpan | undefined): boolean {
  return span !== undefined && String(span.first) <= String(id) && String(id) <= String(span.last);
}
