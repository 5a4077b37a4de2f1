import { errorCode } from "../errors.ts";
import { closeBooks, openBooks, type PassBooks } from "./books.ts";
import { isUnproved } from "./confirm.ts";
import { asBacklog, holdLease, type PollContext } from "./context.ts";
import { noEmits } from "./emit.ts";
import { tailOrder } from "./news-end.ts";
import { sampleOf, showsAgain } from "./page-sample.ts";
import { createPipeline } from "./pipeline.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { repairShort, repairSuspects } from "./repair.ts";
import type { ScanEnd } from "./scan.ts";
import type { StreamPosition } from "./state-types.ts";
import { isNoMoment, isStillThere } from "./still-there.ts";
import { type SurveyStep, surveyScan } from "./survey-scan.ts";

/** Ids that a stream holds: more are left to the full pass that follows, which keeps them elsewhere. */
const MOST_IDS = 50_000;
/** Slices that begin again at a seam of a first pass that did not hold still. */
const MOST_RETRIES = 10;
/** Pages behind the one at which it stopped on which that may be known again. */
const LATER = 1;
/** Pages that it goes back where it is not. */
const FURTHER = 8;

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
    await goBack(ctx, position, near.back);
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
  if (counts.left + mayMiss(position, end.givenUp) > 0) counts.unfinished = true;
  if (counts.deferred > 0 || counts.unfinished || (counts.held > 0 && !isUnproved(ctx))) return counts;
  const isEnd = end.empty ? isNoMoment(ctx) : purpose === "catch-up" || (await isStillThere(ctx));
  if (!isEnd) return { ...counts, unfinished: true };
  delete mark.stream;
  delete mark.floorRises;
  delete mark.headOpen;
  mark.firstPassDone = true;
  return counts;
}

interface StepBack {
  to: number;
  /** The page that has to be passed before it goes back again; absent where the list has become shorter than that. */
  from?: number;
}

interface Streamed {
  counts: PollCounts;
  /** Absent where the time was up before. */
  end: ScanEnd | undefined;
  /** Where to begin again, as the page of the position was not known again or is not there: nothing was done of what comes behind it. */
  back: StepBack | undefined;
  books: PassBooks | undefined;
  startedAt: number;
}

/** Of the seams that did not hold still those at which what slips through would be taken for new by the next scan that meets it. */
function mayMiss({ purpose, retries = 0 }: StreamPosition, givenUp: number): number {
  // A list that never holds still must not keep all that is new waiting.
  return purpose === "first-pass" && retries < MOST_RETRIES ? givenUp : 0;
}

/** Begins further up from now on, whatever becomes of this slice. */
async function goBack(ctx: PollContext, position: StreamPosition, { to, from }: StepBack): Promise<void> {
  position.page = to;
  delete position.sample;
  delete position.goneBackFrom;
  if (from !== undefined) position.goneBackFrom = from;
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
}

/** Streams on from a position, which is raised as pages are done with; `isNew`: nothing was done of it before. */
async function streamPages(ctx: PollContext, position: StreamPosition, isNew: boolean): Promise<Streamed> {
  const { clock, state } = ctx.ports;
  const startedAt = clock.now();
  const { page: reached, sample = [] } = position;
  // One page back: a deletion meanwhile has moved records there.
  const from = Math.max(1, reached - 1);
  const { goneBackFrom } = position;
  /** Whether what comes behind its place is met from here on: the page is seen again, or the one is passed from which it had gone back. */
  let known = from === 1 || (sample.length === 0 && goneBackFrom === undefined);
  // Only a pass from the first page to the last in one go can close the books.
  const books = from === 1 ? openBooks(new Set(), undefined, MOST_IDS) : undefined;
  const counts = noCounts();
  const pipeline = createPipeline(ctx, "catch-up");
  /** By the page, of those that are not done with yet. */
  const samples = new Map<number, string[]>();
  /** The last page at which nothing of it or of those before was left. */
  let whole = 0;
  const note = (): boolean => {
    const page = Math.min(whole, pipeline.settledTo() ?? 0);
    if (page <= position.page) return false;
    position.page = page;
    if (page > (position.goneBackFrom ?? 0)) {
      delete position.goneBackFrom;
      position.sample = samples.get(page) ?? [];
    }
    for (const done of samples.keys()) if (done <= page) samples.delete(done);
    return true;
  };
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
  let last = 0;
  const takePages = async (): Promise<ScanEnd | undefined> => {
    for (let next = await firstStep(ctx, steps, from); next !== undefined; next = await steps.next()) {
      if (next.done) {
        const isShorter = last < (goneBackFrom ?? reached);
        if (known || (goneBackFrom !== undefined && !isShorter)) return next.value;
        if (!isShorter) break;
        // Whatever is left of the list may have moved past its place.
        back = { to: 1 };
        return undefined;
      }
      const { page, runs, toEmit, short, found, quarantined, deferred, left, givenUp } = next.value;
      last = page;
      known ||= showsAgain(runs, sample) || page > (goneBackFrom ?? Number.POSITIVE_INFINITY);
      if (mayMiss(position, givenUp) > 0) mayHaveMissed = true;
      const isPlaced = known || goneBackFrom !== undefined;
      counts.left += left;
      if (isPlaced && deferred + counts.left + mayMiss(position, givenUp) === 0) {
        whole = page;
        samples.set(page, sampleOf(runs));
      }
      const repaired = short.length === 0 ? 0 : await pipeline.beside(() => repairShort(ctx, short, "catch-up"));
      books?.settle({ ...noEmits(), repaired });
      addCounts(counts, { found, quarantined, repaired });
      await pipeline.take(page, toEmit);
      await holdLease(ctx);
      if (note()) await state.saveMark(ctx.lease, ctx.mark);
      // However short the time is, a slice gets beyond the page where the last one stopped.
      const isOver = (page > reached || isNew) && clock.now() > ctx.streamUntil;
      // What has come before it has moved it further down.
      if (!isPlaced && (isOver || page >= reached + LATER)) break;
      if (isOver) return undefined;
    }
    // Twice as far where that was not enough.
    const furthest = Math.max(reached, goneBackFrom ?? 0);
    back = { to: Math.max(1, reached - Math.max(FURTHER, furthest - reached)), from: furthest };
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
    note();
  }
  if (mayHaveMissed) position.retries = (position.retries ?? 0) + 1;
  return { counts, end, back, books, startedAt };
}

/** What the first page comes to; undefined where it fails although the list can be read: behind its end some services do. */
async function firstStep(
  ctx: PollContext,
  steps: AsyncGenerator<SurveyStep, ScanEnd>,
  from: number,
): Promise<IteratorResult<SurveyStep, ScanEnd> | undefined> {
  try {
    return await steps.next();
  } catch (error) {
    if (from === 1 || errorCode(error) !== "SERVER_ERROR") throw error;
    await holdLease(ctx);
    await ctx.ports.service.page(ctx.surveyId, 1, tailOrder(ctx.mark));
    return undefined;
  }
}
