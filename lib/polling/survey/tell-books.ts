import { digestSum } from "../../events/books-digest.ts";
import { buildBooksClosed } from "../../events/build/build-books-closed.ts";
import type { PollContext } from "../context.ts";
import type { Mark } from "../model/mark.ts";
import { publishOne } from "../publish/publish-one.ts";

// R29: what subscribers are told of the books.

/**
 * Tells subscribers that the books of a survey have closed, where that says something new. To be called when nothing of the survey is under way
 * any more: then the ledger holds the last event of each response. What the bus did not take is told by the next poll, unchanged.
 */
export async function tellBooks(ctx: PollContext): Promise<void> {
  const { mark, source, ports, lease } = ctx;
  if (!source.events.has("books.closed")) return;
  const wasUntold = mark.untold !== undefined;
  mark.untold ??= await newBooks(ctx);
  if (mark.untold === undefined) return;
  const { detail, told } = mark.untold;
  // What a sequence number says is fixed before anybody is told (R19).
  if (!wasUntold) await ports.state.saveMark(lease, mark);
  await publishOne(ctx, { type: "books.closed", detail, time: Date.parse(detail.meta.detectedAt) });
  mark.told = told;
  delete mark.untold;
  // The books may have closed once more since that was to be told.
  if (wasUntold) await tellBooks(ctx);
}

/** What is to be told of the books; undefined when they say what was told last, or the time is up. */
async function newBooks(ctx: PollContext): Promise<Mark["untold"]> {
  const { books, booksOpen, told, floor, survey, pending } = ctx.mark;
  if (books === undefined || booksOpen !== undefined || pending !== undefined) return undefined;
  const { closedAt } = books;
  if (closedAt === told?.closedAt) return undefined;
  const digest = await digestOfLedger(ctx);
  if (digest === undefined) return undefined;
  const { surveyId, source, ports } = ctx;
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
  if (built !== undefined) {
    const { sequence, eventId } = built.detail.meta;
    return { detail: built.detail, told: { sequence, eventId, closedAt, hash: built.hash } };
  }
  if (told !== undefined) told.closedAt = closedAt;
  return undefined;
}

/** What the ids of the last events of all responses add up to; undefined when the time is up. */
async function digestOfLedger({ ports, surveyId, deadline }: PollContext) {
  const sum = digestSum();
  let from: string | undefined;
  do {
    if (from !== undefined && ports.clock.now() > deadline) return undefined;
    const page = await ports.state.eventIds(surveyId, from);
    for (const eventId of page.eventIds) sum.add(eventId);
    from = page.next;
  } while (from !== undefined);
  return sum.digest();
}
