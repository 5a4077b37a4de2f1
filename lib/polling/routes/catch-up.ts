import { closeBooks, openBooks, type PassBooks } from "../books/books.ts";
import { isUnproved } from "../contents/confirm.ts";
import { asBacklog, type PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { noEmits } from "../model/emit-counts.ts";
import type { StreamPosition } from "../model/mark.ts";
import { fromRun } from "../publish/candidate.ts";
import { createPipeline } from "../publish/pipeline.ts";
import { oldestFirst } from "../publish/prepare.ts";
import { repairShort, repairSuspects } from "../publish/repair.ts";
import type { ScanEnd } from "../walk/scan.ts";
import { tailOrder } from "./news-end.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { isNoMoment, isStillThere } from "./still-there.ts";
import { goBack, placeOf, type StepBack } from "./stream-place.ts";
import { surveyScan } from "./survey-scan.ts";

/** Responses on the way to the bus, at most, for each request that may be in flight: enough to keep the service busy. */
const ON_THE_WAY = 3;
/** And at least so many, that batches are full where few requests may be in flight. */
const LEAST_ON_THE_WAY = 40;
const PUBLISHES_AT_ONCE = 4;
/** Ids that a stream holds: more are left to the full pass that follows, which keeps them elsewhere. */
const MOST_IDS = 50_000;
/** Slices that begin again at a seam of a first pass that did not hold still. */
const MOST_RETRIES = 10;

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
    const near = await streamPages(ctx, position, isNew);
    if (near.back === undefined) return near;
    goBack(position, near.back);
    await ctx.ports.state.saveMark(ctx.lease, mark);
    const further = await streamPages(ctx, position, isNew);
    return { ...further, counts: addCounts(further.counts, near.counts) };
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
  if (counts.left > 0 || mayMiss(position, end)) counts.unfinished = true;
  if (counts.deferred > 0 || counts.unfinished || (counts.held > 0 && !isUnproved(ctx))) return counts;
  const isEnd = end.empty ? isNoMoment(ctx) : purpose === "catch-up" || (await isStillThere(ctx));
  if (!isEnd) return { ...counts, unfinished: true };
  delete mark.stream;
  delete mark.floorRises;
  delete mark.headOpen;
  mark.firstPassDone = true;
  return counts;
}

interface Streamed {
  counts: PollCounts;
  /** Absent where the time was up before. */
  end: ScanEnd | undefined;
  /** Where to begin again: nothing was done of what comes behind the position. */
  back: StepBack | undefined;
  books: PassBooks | undefined;
  startedAt: number;
}

/** Whether something may have slipped through that the next scan which meets it would take for new. */
function mayMiss({ purpose, retries = 0 }: StreamPosition, { covered }: Pick<ScanEnd, "covered">): boolean {
  // A list that never holds still must not keep all that is new waiting.
  return purpose === "first-pass" && retries < MOST_RETRIES && !covered;
}

/** Streams on from a position, which is raised as pages are done with; `isNew`: nothing was done of it before. */
async function streamPages(ctx: PollContext, position: StreamPosition, isNew: boolean): Promise<Streamed> {
  const { clock, state } = ctx.ports;
  const startedAt = clock.now();
  const place = placeOf(position);
  const { from } = place;
  // Only a pass from the first page to the last in one go can close the books.
  const books = from === 1 ? openBooks(new Set(), undefined, MOST_IDS) : undefined;
  const counts = noCounts();
  const mostOnTheWay = Math.max(LEAST_ON_THE_WAY, ON_THE_WAY * ctx.source.concurrency);
  const pipeline = createPipeline(ctx, { mostOnTheWay, publishesAtOnce: PUBLISHES_AT_ONCE, isProved: false });
  const steps = surveyScan(ctx, {
    order: tailOrder(ctx.mark),
    from,
    // What a first pass misses would be taken for new by the next scan that meets it.
    prove: position.purpose === "first-pass" ? "all" : "news",
    ahead: true,
    ...(books === undefined ? {} : { books }),
  });

  let back: StepBack | undefined;
  let mayHaveMissed = false;
  const takePages = async (): Promise<ScanEnd | undefined> => {
    for (;;) {
      const next = await steps.next();
      if (next.done) {
        mayHaveMissed = mayMiss(position, next.value);
        back = place.atEnd();
        return back === undefined ? next.value : undefined;
      }
      const { page, runs, toEmit, short, found, quarantined, deferred, left } = next.value;
      place.met(page, runs);
      mayHaveMissed = mayMiss(position, next.value);
      counts.left += left;
      if (place.isKnown() && deferred + counts.left === 0 && !mayHaveMissed) place.keep();
      const repaired = short.length === 0 ? 0 : await pipeline.beside(() => repairShort(ctx, short, "catch-up"));
      books?.settle({ ...noEmits(), repaired });
      addCounts(counts, { found, quarantined, repaired });
      const candidates = toEmit.map((run) => fromRun(ctx, run, "catch-up"));
      await pipeline.take(page, candidates.sort(oldestFirst(ctx.ports.clock.now())));
      await holdLease(ctx);
      if (place.raise(pipeline.settledTo() ?? 0)) await state.saveMark(ctx.lease, ctx.mark);
      // However short the time is, a slice gets beyond the page where the last one stopped.
      const isOver = (place.isBeyond() || isNew) && clock.now() > ctx.streamUntil;
      if (place.isLost() || (isOver && !place.isKnown())) break;
      if (isOver) return undefined;
    }
    back = place.further();
    return undefined;
  };

  let end: ScanEnd | undefined;
  try {
    end = await takePages();
  } finally {
    // Whatever failed: what is on its way comes to its end, and counts.
    await steps.return(undefined as never);
    const outcome = await pipeline.end();
    books?.settle(outcome);
    addCounts(counts, outcome);
    place.raise(pipeline.settledTo() ?? 0);
  }
  if (mayHaveMissed) position.retries = (position.retries ?? 0) + 1;
  return { counts, end, back, books, startedAt };
}
