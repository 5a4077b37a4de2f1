import pLimit from "p-limit";
import type { PollContext } from "../context.ts";
import type { Books, BooksOpen, Tally, Withheld } from "../model/books.ts";
import type { EntryState } from "../model/ledger-entry.ts";
import { dropIds, keepIds, type ReadIds } from "./ids.ts";

type Class = keyof Tally & (Exclude<EntryState, "before-start"> | "beforeStart");

/** All that a full read has met when it has come to the end of the list. */
export interface FinishedPass extends Pick<Books, "startedAt" | "moved" | "changed" | "repaired" | "found"> {
  ids: ReadIds;
}

/** Full reads in a row of an empty list after which it is believed to be empty. */
const EMPTY_PASSES = 3;
/** A full read that proved nothing is made again sooner. */
const SOONER = 8;
/** Entries of one read, and reads at once. */
const AT_ONCE = 100;
const READS = 8;
/** Responses that do not go out and are named. */
const MOST_NAMED = 50;

/** Enters the proof of a full read into the mark, or why there is none (R29). */
export async function closeBooks(ctx: PollContext, pass: FinishedPass): Promise<void> {
  const { mark } = ctx;
  const { ids, ...counted } = pass;
  const closedAt = ctx.ports.clock.now();
  const { classes, withheld } = await classify(ctx, ids);
  const listed = ids.all.size;
  const left = listed - Object.values(classes).reduce((sum, count) => sum + count, 0);
  // fault: unaccounted-closes-books
  if (left !== 0) return leaveOpen(ctx, { code: "unaccounted", count: left }, closedAt);
  // A page that is read as empty by mistake looks like a list without responses. An empty list is believed when it stays empty.
  if (listed === 0 && (ctx.listedCount !== 0 || (mark.books?.listed ?? 0) > 0)) {
    mark.emptyPasses = (mark.emptyPasses ?? 0) + 1;
    if (mark.emptyPasses < EMPTY_PASSES) return leaveOpen(ctx, { code: "read-as-empty" }, closedAt);
  } else delete mark.emptyPasses;
  const { listedIds: older } = mark;
  mark.listedIds = await keepIds(ctx, ids, "listed");
  const passes = mark.booksOpen === undefined ? (mark.books?.passes ?? 0) + 1 : 1;
  const deficit = ctx.listedCount === undefined ? null : ctx.listedCount - listed;
  delete mark.booksOpen;
  const named = withheld.length === 0 ? {} : { withheld };
  mark.books = { ...counted, ...classes, ...named, closedAt, listed, gone: mark.books?.gone ?? 0, deficit, passes };
  mark.nextPass = pass.startedAt + ctx.source.rescan.full;
  if (older === undefined || "inline" in older) return;
  // Only now: until the mark names the new ones, these are all there are.
  await ctx.ports.state.saveMark(ctx.lease, mark);
  await dropIds(ctx, older);
}

/** The class that the ledger gives each of these responses now, and which of them do not go out. */
async function classify(
  ctx: PollContext,
  { all }: ReadIds,
): Promise<{ classes: Record<Class, number>; withheld: Withheld[] }> {
  const classes = { emitted: 0, beforeStart: 0, open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
  const withheld: Withheld[] = [];
  const ids = [...all];
  const limit = pLimit(READS);
  await Promise.all(
    Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) =>
      limit(async () => {
        const some = ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE);
        const entries = await ctx.ports.state.entries(ctx.surveyId, some);
        for (const { id, state, reason = null } of entries.values()) {
          classes[state === "before-start" ? "beforeStart" : state] += 1;
          const isWithheld = state === "held" || state === "quarantined" || state === "refused";
          if (isWithheld && typeof id === "number") withheld.push({ responseId: id, state, reason });
        }
      }),
    ),
  );
  withheld.sort((a, b) => a.responseId - b.responseId);
  return { classes, withheld: withheld.slice(0, MOST_NAMED) };
}

/** Notes why the books are not closed; `nextPass`: epoch milliseconds. */
export function leaveOpen(ctx: PollContext, why: BooksOpen, now: number, nextPass?: number): void {
  ctx.mark.booksOpen = why;
  ctx.mark.nextPass = nextPass ?? now + ctx.source.rescan.full / SOONER;
}
