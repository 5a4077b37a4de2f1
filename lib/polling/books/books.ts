import type { PollContext } from "../context.ts";
import { UNPROVED } from "../ledger/held.ts";
import type { Decision } from "../ledger/judge.ts";
import type { EmitCounts } from "../model/emit-counts.ts";
import type { EntryState, LedgerEntry } from "../model/ledger-entry.ts";
import type { Books, Tally } from "../model/mark.ts";
import { dropIds, keepIds, loadIds } from "./id-set.ts";

/** The books of one full pass: each listed id in the class it had once its page was dealt with. */
export interface PassBooks {
  tally: Tally;
  /** Ids listed so far; undefined where they are not kept. */
  ids: Set<number> | undefined;
  /** Ids met again that an earlier slice has listed. */
  again: Set<number>;
  /** A response counted before by the same scan (see `scan-memory.ts`: one may be judged again) is counted anew. */
  count(responseId: number, decision: Decision, known: LedgerEntry | undefined): void;
  /** An unreadable response that was counted and could not be kept: it is in no class. */
  leave(responseId: number): void;
  /** What became of the responses that had to go out. */
  settle(outcome: EmitCounts): void;
}

type Class = keyof Pick<Tally, "emitted" | "beforeFloor" | "open" | "waiting" | "quarantined">;

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

/** The class in which an earlier slice has counted a response that is to go out now. */
function classBefore(known: LedgerEntry | undefined): Class | undefined {
  // What was laid aside was to go out then as well.
  if (known === undefined || known.reason === UNPROVED) return undefined;
  return known.state === "open" || known.state === "quarantined" ? classOfState[known.state] : undefined;
}

export function emptyTally(): Tally {
  const classes = { emitted: 0, beforeFloor: 0, open: 0, waiting: 0, quarantined: 0 };
  return { listed: 0, ...classes, changed: 0, repaired: 0, found: 0 };
}

/**
 * Goes on with `tally` and `ids`, which are changed; without `ids` every id is taken to be met once. Beyond `most` they
 * are no longer kept.
 */
export function openBooks(ids?: Set<number>, tally: Tally = emptyTally(), most?: number): PassBooks {
  let kept = ids;
  const noted = new Map<number, Class>();
  const counted = new Set<number>();
  const again = new Set<number>();
  return {
    again,
    get ids() {
      return kept;
    },
    tally,
    count(responseId, decision, known) {
      const before = noted.get(responseId);
      if (before === undefined) {
        // Met by an earlier slice already: it has its class.
        if (kept?.has(responseId)) {
          if (!counted.has(responseId)) again.add(responseId);
          // But for one that goes out only now: it was open then, or could not be read.
          const was = classOf(decision, known?.state) === undefined ? classBefore(known) : undefined;
          if (was !== undefined && !counted.has(responseId)) tally[was] -= 1;
          return;
        }
        kept?.add(responseId);
        if (kept !== undefined) counted.add(responseId);
        if (most !== undefined && (kept?.size ?? 0) > most) {
          kept = undefined;
          counted.clear();
        }
        tally.listed += 1;
      } else tally[before] -= 1;
      noted.delete(responseId);
      const kind = classOf(decision, known?.state);
      if (kind !== undefined) tally[kind] += 1;
      // Only what was judged by its first records can be judged again.
      if (kind !== undefined && (decision === "open" || decision === "before-floor")) noted.set(responseId, kind);
    },
    leave(responseId) {
      // What an earlier slice has counted is in another class, or in none already.
      if (kept === undefined || counted.has(responseId)) tally.quarantined -= 1;
    },
    settle(outcome) {
      tally.emitted += outcome.emitted;
      tally.waiting += outcome.waiting;
      tally.quarantined += outcome.quarantined;
    },
  };
}

/** Listed ids that are in no class: held back, or left because their pages did not hold still. */
export function unaccounted({ listed, emitted, beforeFloor, open, waiting, quarantined }: Tally): number {
  return listed - emitted - beforeFloor - open - waiting - quarantined;
}

/** A full pass that has come to the end of the list. */
export interface FinishedPass {
  books: PassBooks;
  startedAt: number;
  /** Whether pages moved while they were read. */
  moved: boolean;
}

/** Enters the proof of a full pass into the mark, or why there is none. */
export async function closeBooks(ctx: PollContext, { books, startedAt, moved }: FinishedPass): Promise<void> {
  const { mark } = ctx;
  const closedAt = ctx.ports.clock.now();
  const left = unaccounted(books.tally);
  if (left !== 0) mark.unaccounted = left;
  else delete mark.unaccounted;
  if (left !== 0) return leaveOpen(ctx, `${left} listed responses are not accounted for yet`, closedAt);
  // Pages read as empty by mistake look like a list without responses: it is believed when it stays so.
  if (books.tally.listed === 0 && ((ctx.listedCount ?? 0) > 0 || (mark.books?.listed ?? 0) > 0)) {
    mark.emptyPasses = (mark.emptyPasses ?? 0) + 1;
    if (mark.emptyPasses < EMPTY_PASSES) return leaveOpen(ctx, "the list was read as empty", closedAt);
  } else delete mark.emptyPasses;
  const gone = await goneSince(ctx, books.ids);
  const passes = mark.booksOpen === undefined ? (mark.books?.passes ?? 0) + 1 : 1;
  const deficit = ctx.listedCount === undefined ? null : ctx.listedCount - books.tally.listed;
  const proof: Books = { startedAt, closedAt, ...books.tally, gone, deficit, moved, passes };
  delete mark.booksOpen;
  mark.books = proof;
  // A pass that could not keep its ids tells nothing of those that go: one that does follows.
  mark.nextPass = books.ids === undefined ? closedAt : startedAt + ctx.source.scrub.every;
}

/** Passes in a row over an empty list after which it is believed to be empty. */
const EMPTY_PASSES = 3;

/** A pass that proved nothing is made again sooner. */
const SOONER = 8;

export function leaveOpen(ctx: PollContext, reason: string, now: number): void {
  ctx.mark.booksOpen = reason;
  ctx.mark.nextPass = now + ctx.source.scrub.every / SOONER;
}

/** How many ids earlier passes have listed and this one has not; keeps the ids of both for the next one. */
async function goneSince(ctx: PollContext, ids: Set<number> | undefined): Promise<number> {
  const { mark } = ctx;
  if (ids === undefined) return mark.books?.gone ?? 0;
  const before = (await loadIds(ctx, mark.listedIds)) ?? new Set<number>();
  const all = new Set([...before, ...ids]);
  if (mark.listedIds === undefined || all.size > before.size) {
    const older = mark.listedIds;
    mark.listedIds = await keepIds(ctx, all, "listed");
    await dropIds(ctx, older);
  }
  return all.size - ids.size;
}
