import { type BooksDigest, digestSum } from "../../events/books-digest.ts";
import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { noteReleased } from "../ledger/withheld.ts";
import type { Books, Gone } from "../model/mark.ts";
import { keepIds, loadIds } from "./id-set.ts";

/** Entries read and written together. */
const AT_ONCE = 25;

/**
 * Reads the whole ledger of a survey, once for each time that its books close. Gives what the ids of the last events of all responses add up to,
 * and notes which of these are listed no more. Undefined when the time is up.
 */
export async function compareLedger(ctx: PollContext, books: Books): Promise<BooksDigest | undefined> {
  const { mark, ports, surveyId, deadline } = ctx;
  const listed = await loadIds(ctx, mark.listedIds);
  const sum = digestSum();
  const missing = new Set<number>();
  let from: string | undefined;
  do {
    if (from !== undefined && ports.clock.now() > deadline) return undefined;
    const page = await ports.state.emitted(surveyId, from);
    for (const { id, eventId, emittedAt } of page.entries) {
      sum.add(eventId);
      // Who noted its release may have died before the mark was saved.
      if (emittedAt >= (mark.withheld?.[id]?.since ?? Number.POSITIVE_INFINITY)) noteReleased(mark, id, eventId);
      // What went out since the reading began may not have been listed then.
      if (listed?.has(id) === false && emittedAt < books.startedAt) missing.add(id);
    }
    from = page.next;
  } while (from !== undefined);
  books.gone = missing.size;
  const told = (await loadIds(ctx, mark.gone?.told)) ?? new Set();
  await takeBack(
    ctx,
    [...told].filter((id) => listed?.has(id) === true),
  );
  mark.gone = await goneBy(ctx, missing, books.closedAt);
  return sum.digest();
}

/** Whoever was told to be deleted and is listed again gets a new event, by the next walk that meets it: that takes the deletion back. */
async function takeBack(ctx: PollContext, ids: number[]): Promise<void> {
  const { mark, ports, surveyId } = ctx;
  if (ids.length === 0) return;
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const entries = await ports.state.entries(surveyId, ids.slice(i, i + AT_ONCE));
    await holdLease(ctx);
    await ports.state.putEntries(
      surveyId,
      [...entries.values()].map((entry) => ({ ...entry, count: 0 })),
    );
  }
  mark.nextPass = ports.clock.now();
}

/** Who is missing twice in a row is deleted; who is listed again no longer is. */
async function goneBy(ctx: PollContext, missing: ReadonlySet<number>, at: number): Promise<Gone> {
  const { gone } = ctx.mark;
  const [once, untold, told] = await Promise.all(
    [gone?.once, gone?.untold, gone?.told].map(async (ref) => (await loadIds(ctx, ref)) ?? new Set<number>()),
  );
  const isTold = (id: number): boolean => told?.has(id) === true;
  const wasMissing = (id: number): boolean => once?.has(id) === true || untold?.has(id) === true;
  const all = [...missing];
  return keepGone(ctx, at, {
    once: all.filter((id) => !isTold(id) && !wasMissing(id)),
    untold: all.filter((id) => !isTold(id) && wasMissing(id)),
    told: all.filter(isTold),
  });
}

/** @param at epoch milliseconds */
export async function keepGone(
  ctx: PollContext,
  at: number,
  sets: Record<Exclude<keyof Gone, "at">, Iterable<number>>,
): Promise<Gone> {
  const gone: Gone = { at };
  for (const name of ["once", "untold", "told"] as const) {
    const ids = new Set(sets[name]);
    if (ids.size > 0) gone[name] = await keepIds(ctx, ids, `gone-${name}`);
  }
  return gone;
}
