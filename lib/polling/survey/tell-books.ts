import { buildBooksClosed } from "../../events/build/build-books-closed.ts";
import type { PollContext } from "../context.ts";
import { factsOf } from "../ledger/tell.ts";
import type { OutgoingEvent } from "../model/outgoing-event.ts";
import { areUncompared, compareLedger } from "./compare-ledger.ts";
import { tellNext } from "./tell-next.ts";

// R29: what subscribers are told of the books.

/**
 * Tells subscribers that the books of a survey have closed, where that is new to them. To be called when nothing of the survey is under way any more: then the
 * ledger holds the last event of each response.
 */
export function tellBooks(ctx: PollContext): Promise<void> {
  return tellNext(ctx, () => newBooks(ctx));
}

/** The event that tells of the books; undefined when they say what was told last, or the time is up. */
async function newBooks(ctx: PollContext): Promise<OutgoingEvent | undefined> {
  const { mark, source } = ctx;
  const { books, floor } = mark;
  if (books === undefined || !areUncompared(ctx)) return undefined;
  const digest = await compareLedger(ctx, books);
  if (digest === undefined || !source.events.has("books.closed")) return undefined;
  const facts = factsOf(ctx);
  const built = buildBooksClosed({ ...facts, from: floor?.at, books: { ...books }, digest, previous: mark.told });
  if (built === undefined) return undefined;
  const { sequence, eventId } = built.detail.meta;
  mark.told = { sequence, eventId, hash: built.hash };
  return { type: "books.closed", detail: built.detail, time: facts.detectedAt };
}
