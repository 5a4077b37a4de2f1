import type { BooksDigest } from "../../events/books-digest.ts";
import { buildBooksClosed } from "../../events/build/build-books-closed.ts";
import { digestSum } from "../../events/index.ts";
import { loadIds } from "../books/ids.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { factsOf } from "../ledger/tell.ts";
import type { Books } from "../model/books.ts";
import type { EmittedResponse } from "../model/ledger-entry.ts";
import type { OutgoingEvent } from "../model/outgoing-event.ts";
import { noteListed, tellMissing } from "./tell-deleted.ts";
import { tellNext } from "./tell-next.ts";

// R29: what subscribers are told of the books.

/**
 * Tells subscribers that the books of a survey have closed, where that is new to them. To be called when nothing of the survey is under way any more: then the
 * ledger holds the last event of each response. A failure is left to the next poll, and holds up nothing else.
 */
export async function tellBooks(ctx: PollContext): Promise<void> {
  await orLeave(ctx, () => tellNext(ctx, () => newBooks(ctx)));
}

/** Whether something is left to be told. */
export function hasUntold(ctx: PollContext): boolean {
  return ctx.mark.untold !== undefined || areUncompared(ctx);
}

/** The event that tells of the books; undefined when they say what was told last, or the time is up. */
async function newBooks(ctx: PollContext): Promise<OutgoingEvent | undefined> {
  const { mark, source, start } = ctx;
  const { books } = mark;
  if (books === undefined || !areUncompared(ctx)) return undefined;
  const digest = await compareLedger(ctx, books);
  if (digest === undefined || !source.events.has("books.closed")) return undefined;
  const facts = factsOf(ctx);
  const built = buildBooksClosed({ ...facts, from: start.at, books: { ...books }, digest, previous: mark.told });
  if (built === undefined) return undefined;
  const { sequence, eventId } = built.detail.meta;
  mark.told = { sequence, eventId, hash: built.hash };
  return { type: "books.closed", detail: built.detail, time: facts.detectedAt };
}

/** Whether books have closed with which the ledger was not compared yet. */
function areUncompared({ mark }: Pick<PollContext, "mark">): boolean {
  const { books, booksOpen, pending, comparedAt } = mark;
  return books !== undefined && booksOpen === undefined && pending === undefined && comparedAt !== books.closedAt;
}

/**
 * Reads the whole ledger of a survey, once for each time that its books close. Gives the sum over the ids of the last events of all responses, and deals with
 * responses that are listed no more. Undefined when the time is up.
 */
async function compareLedger(ctx: PollContext, books: Books): Promise<BooksDigest | undefined> {
  const { mark, ports, surveyId, deadline } = ctx;
  const listed = await loadIds(ctx, mark.listedIds);
  const sum = digestSum();
  let gone = 0;
  let from: string | undefined;
  do {
    if (from !== undefined && ports.clock.now() > deadline) return undefined;
    const page = await ports.state.emitted(surveyId, from);
    const missing: EmittedResponse[] = [];
    const again: EmittedResponse[] = [];
    for (const one of page.entries) {
      const { id, eventId, emittedAt } = one;
      sum.add(eventId);
      // A response that went out since the reading began may not have been listed then.
      if (listed?.has(id) === false && emittedAt < books.startedAt) missing.push(one);
      if (listed?.has(id) === true && one.gone !== undefined) again.push(one);
    }
    const isDone = (await tellMissing(ctx, missing, books.closedAt)) && (await noteListed(ctx, again));
    if (!isDone) return undefined;
    gone += missing.length;
    // fault: digest-of-one-page
    from = page.next;
  } while (from !== undefined);
  books.gone = gone;
  mark.comparedAt = books.closedAt;
  return sum.digest();
}
