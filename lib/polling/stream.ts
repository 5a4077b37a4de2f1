import { closeBooks, openBooks, type PassBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import { asBacklog, holdLease, type PollContext } from "./context.ts";
import { noEmits } from "./emit.ts";
import { tailOrder } from "./news-end.ts";
import { createPipeline } from "./pipeline.ts";
import { placeAgain, sampleOf, showsAgain } from "./place-again.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { repairShort, repairSuspects } from "./repair.ts";
import type { ScanEnd } from "./scan.ts";
import type { StreamPosition } from "./state-types.ts";
import { isNoMoment, isStillThere } from "./still-there.ts";
import { surveyScan } from "./survey-scan.ts";

/** Ids that a stream holds: more are left to the full pass that follows, which keeps them elsewhere. */
const MOST_IDS = 50_000;

/**
 * Streams pages to the end of the list where news appear, whatever its length: pages are read ahead, and many responses are on their
 * way to the bus at once (see `pipeline.ts`). The position is saved as pages are done with, so that a crash costs one page and the
 * publishes in flight. It does not pass the first page with a response that had to be left: there the stream begins again, and what has
 * gone out behind it costs its pages once more at each poll, but no second event. That is dear where something of one response fails for
 * long, and still less so than to keep all the others back.
 */
export async function stream(ctx: PollContext, reached: StreamPosition): Promise<PollCounts> {
  const { mark } = ctx;
  const { purpose } = reached;
  const isNew = mark.stream === undefined;
  ctx.resumed ||= !isNew;
  mark.stream = { ...reached };
  await ctx.ports.state.saveMark(ctx.lease, mark);
  // Whatever it met would be held: the full pass that joins it goes on instead.
  if (isUnproved(ctx) && mark.pass?.spilled !== undefined) return { ...noCounts(), held: 1, unfinished: true };
  const position = mark.stream;
  const streamed = await asBacklog(ctx, async () => {
    // One page back: a deletion meanwhile has moved records there.
    const from = Math.max(1, reached.page - 1);
    const near = await streamPages(ctx, { from, isPlaced: from === 1, position, isNew });
    if (!near.isLost) return near;
    const further = await placeAgain(ctx, reached);
    const again = await streamPages(ctx, { from: further, isPlaced: true, position, isNew });
    return { ...again, counts: addCounts(again.counts, near.counts) };
  });
  const { counts, end, books, startedAt } = streamed;
  if (end === undefined) {
    counts.unfinished = true;
    ctx.resumed = true;
    return counts;
  }
  counts.deferred = end.deferred.length;
  counts.complete = books !== undefined;
  counts.repaired += await repairSuspects(ctx, end.scattered, "catch-up");
  if (end.proved && books !== undefined) await closeBooks(ctx, { books, startedAt, moved: end.moved });

  // What is held because nothing can tell whether it is whole is joined by a full pass of another kind.
  if (counts.left > 0) counts.unfinished = true;
  if (counts.deferred > 0 || counts.unfinished || (counts.held > 0 && !isUnproved(ctx))) return counts;
  const isEnd = end.empty ? isNoMoment(ctx) : purpose === "catch-up" || (await isStillThere(ctx));
  if (!isEnd) return { ...counts, unfinished: true };
  delete mark.stream;
  delete mark.floorRises;
  delete mark.headOpen;
  mark.firstPassDone = true;
  return counts;
}

interface Pages {
  from: number;
  /** Whether what comes behind the position is taken to be on no page before `from`; else the position's page has to be known again. */
  isPlaced: boolean;
  /** Raised as pages are done with. */
  position: StreamPosition;
  /** Whether nothing was done of it before. */
  isNew: boolean;
}

interface Streamed {
  counts: PollCounts;
  /** Absent where the time was up before. */
  end: ScanEnd | undefined;
  /** Whether the page of the position was not known again: nothing was done of what comes behind it. */
  isLost: boolean;
  books: PassBooks | undefined;
  startedAt: number;
}

/** Streams from one page on. */
async function streamPages(ctx: PollContext, { from, isPlaced, position, isNew }: Pages): Promise<Streamed> {
  const { clock, state } = ctx.ports;
  const startedAt = clock.now();
  // Only a pass from the first page to the last in one go can close the books.
  const books = from === 1 ? openBooks(new Set(), undefined, MOST_IDS) : undefined;
  const counts = noCounts();
  const { page: reached, sample = [] } = position;
  let known = isPlaced || sample.length === 0;
  const pipeline = createPipeline(ctx, "catch-up");
  /** By the page, of those that are not done with yet. */
  const samples = new Map<number, string[]>();
  /** The last page at which nothing of it or of those before was left. */
  let whole = 0;
  const note = (): boolean => {
    const page = Math.min(whole, pipeline.settledTo() ?? 0);
    const isFurther = page > position.page;
    if (isFurther) {
      position.page = page;
      position.sample = samples.get(page) ?? [];
      for (const done of samples.keys()) if (done <= page) samples.delete(done);
    }
    return isFurther;
  };
  const steps = surveyScan(ctx, {
    order: tailOrder(ctx.mark),
    from,
    // What a first pass misses would be taken for new by the next scan that meets it.
    prove: position.purpose === "first-pass" ? "all" : "news",
    ahead: true,
    ...(books === undefined ? {} : { books }),
  });

  const takePages = async (): Promise<ScanEnd | "lost" | undefined> => {
    for (;;) {
      const next = await steps.next();
      if (next.done) return known ? next.value : "lost";
      const { page, runs, toEmit, short, found, quarantined, deferred, left } = next.value;
      known ||= showsAgain(runs, sample);
      counts.left += left;
      if (deferred + counts.left === 0) {
        whole = page;
        samples.set(page, sampleOf(runs));
      }
      const repaired = short.length === 0 ? 0 : await pipeline.beside(() => repairShort(ctx, short, "catch-up"));
      books?.settle({ ...noEmits(), repaired });
      addCounts(counts, { found, quarantined, repaired });
      await pipeline.take(page, toEmit);
      await holdLease(ctx);
      if (note()) await state.saveMark(ctx.lease, ctx.mark);
      if (!known && page >= reached) return "lost";
      // However short the time is, a slice gets beyond the page where the last one stopped.
      if ((page > reached || isNew) && clock.now() > ctx.streamUntil) return undefined;
    }
  };

  let end: ScanEnd | "lost" | undefined;
  try {
    end = await takePages();
  } finally {
    // Whatever failed: what is on its way comes to its end, and counts.
    await steps.return(undefined as never);
    const outcome = await pipeline.end();
    books?.settle(outcome);
    addCounts(counts, outcome);
    note();
  }
  const isLost = end === "lost";
  return { counts, end: end === "lost" ? undefined : end, isLost, books, startedAt };
}
