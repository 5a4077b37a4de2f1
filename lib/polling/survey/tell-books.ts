import { buildBooksClosed } from "../../events/build/build-books-closed.ts";
import { compareLedger } from "../books/compare-ledger.ts";
import type { PollContext } from "../context.ts";
import { tell } from "../ledger/tell.ts";
import type { Mark } from "../model/mark.ts";

// R29: what subscribers are told of the books.

/**
 * Tells subscribers that the books of a survey have closed, where that says something new. To be called when nothing of the survey is under way
 * any more: then the ledger holds the last event of each response. What the bus did not take is told by the next poll, unchanged.
 */
export async function tellBooks(ctx: PollContext): Promise<void> {
  const { mark, ports, lease } = ctx;
  const wasUntold = mark.untold !== undefined;
  mark.untold ??= await newBooks(ctx);
  if (mark.untold === undefined) return;
  const { detail, told } = mark.untold;
  // What a sequence number says is fixed before anybody is told (R19).
  if (!wasUntold) await ports.state.saveMark(lease, mark);
  await tell(ctx, [{ type: "books.closed", detail, time: Date.parse(detail.meta.detectedAt) }]);
  mark.told = told;
  delete mark.untold;
  // The books may have closed once more since that was to be told.
  if (wasUntold) await tellBooks(ctx);
}

/** What is to be told of the books; undefined when they say what was told last, or the time is up. */
async function newBooks(ctx: PollContext): Promise<Mark["untold"]> {
  const { books, booksOpen, told, floor, survey, pending, gone } = ctx.mark;
  if (books === undefined || booksOpen !== undefined || pending !== undefined) return undefined;
  if (gone?.at === books.closedAt) return undefined;
  const digest = await compareLedger(ctx, books);
  const { surveyId, source, ports } = ctx;
  if (digest === undefined || !source.events.has("books.closed")) return undefined;
  const built = buildBooksClosed({
    sourceName: source.name,
    surveyId,
    survey: survey?.facts,
    from: floor?.at,
    books: { ...books },
    digest,
    previous: told,
    detectedAt: ports.clock.now(),
  });
  if (built === undefined) return undefined;
  const { sequence, eventId } = built.detail.meta;
  return { detail: built.detail, told: { sequence, eventId, hash: built.hash } };
}
