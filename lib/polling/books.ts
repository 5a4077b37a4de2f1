import type { EmitCounts } from "./emit.ts";
import type { Decision } from "./settle.ts";
import type { Books, EntryState, Mark } from "./state-types.ts";

/** The books of one full pass: each listed id in the class it had once its page was dealt with. */
export interface PassBooks {
  /** A response counted before (see `scan-memory.ts`: one may be judged again) is counted anew. */
  count(responseId: number, decision: Decision, known: EntryState | undefined): void;
  /** What became of the responses that had to go out. */
  settle(outcome: EmitCounts): void;
  /** Enters the proof into the mark, or why there is none. */
  close(mark: Mark, now: number): void;
}

type Class = keyof Omit<Books, "closedAt" | "listed">;

const classOfState: Record<EntryState, Class> = {
  emitted: "emitted",
  "before-floor": "beforeFloor",
  open: "open",
  waiting: "waiting",
  quarantined: "quarantined",
};

/** Undefined for one that has to go out: its class is known once that is done. */
function classOf(decision: Decision, known: EntryState | undefined): Class | undefined {
  if (decision === "settled") return known === undefined ? undefined : classOfState[known];
  if (decision === "old" || decision === "before-floor") return "beforeFloor";
  if (decision === "open") return "open";
  return decision === "quarantine" ? "quarantined" : undefined;
}

export function openBooks(): PassBooks {
  const tally = { listed: 0, emitted: 0, beforeFloor: 0, open: 0, waiting: 0, quarantined: 0 };
  const noted = new Map<number, Class>();
  return {
    count(responseId, decision, known) {
      const before = noted.get(responseId);
      if (before === undefined) tally.listed += 1;
      else tally[before] -= 1;
      noted.delete(responseId);
      const kind = classOf(decision, known);
      if (kind !== undefined) tally[kind] += 1;
      // Only what was judged by its first records can be judged again.
      if (kind !== undefined && (decision === "open" || decision === "before-floor")) noted.set(responseId, kind);
    },
    settle(outcome) {
      tally.emitted += outcome.emitted;
      tally.waiting += outcome.waiting;
      tally.quarantined += outcome.quarantined;
    },
    close(mark, now) {
      const { listed, ...classes } = tally;
      const unaccounted = listed - Object.values(classes).reduce((sum, count) => sum + count, 0);
      delete mark.booksOpen;
      if (unaccounted !== 0) mark.booksOpen = `${unaccounted} listed responses are not accounted for yet`;
      else mark.books = { closedAt: now, ...tally };
    },
  };
}
