import type { EmitCounts } from "./emit.ts";
import type { Decision } from "./settle.ts";
import type { Books, EntryState, Mark } from "./state-types.ts";

/** The books of one full pass: each listed id in the class it had once its page was dealt with. */
export interface PassBooks {
  count(decision: Decision, known: EntryState | undefined): void;
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

export function openBooks(): PassBooks {
  const tally = { listed: 0, emitted: 0, beforeFloor: 0, open: 0, waiting: 0, quarantined: 0 };
  return {
    count(decision, known) {
      tally.listed += 1;
      if (decision === "settled" && known !== undefined) tally[classOfState[known]] += 1;
      else if (decision === "old" || decision === "before-floor") tally.beforeFloor += 1;
      else if (decision === "open") tally.open += 1;
      else if (decision === "quarantine") tally.quarantined += 1;
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
