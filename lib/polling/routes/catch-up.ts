import { closeBooks, leaveOpen } from "../books/books.ts";
import { dropPassIds, keepPassIds, loadPassIds, type PassIds } from "../books/pass-ids.ts";
import { asBacklog, type PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import type { Mark } from "../model/mark.ts";
import { beginAllPages, followHead, type Place, placeOf } from "../model/phase.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { fromFound } from "../publish/candidate.ts";
import { createPipeline } from "../publish/pipeline.ts";
import type { WalkEnd } from "../walk/walk.ts";
import { MOST_FAILURES } from "./failing-page.ts";
import { reachesHead } from "./pass-end.ts";
import { readAhead } from "./read-ahead.ts";
import { pagesBeyond } from "./slice.ts";
import { surveyWalk } from "./survey-walk.ts";

/** Responses on the way to the bus, at most, for each request that may be in flight: enough to keep the service busy. */
const ON_THE_WAY = 3;
/** And at least so many, that batches are full where few requests may be in flight. */
const LEAST_ON_THE_WAY = 40;
/** Pages that are read before their turn. */
const PAGES_AHEAD = 12;
/** Milliseconds after which its place is saved, should it not come to its end: what a crash costs is read again. */
const SAVED_EVERY = 60_000;

/**
 * Walks to the asc end of the list, whatever its length. Pages are read ahead, and many responses are on their way to the bus at once (see `pipeline.ts`). The
 * place is saved once a minute and at the end, with the ids met so far. What a crash has not saved is read again, and no event goes out twice. The place does not
 * pass a response that had to be left.
 */
export async function catchUp(ctx: PollContext, reached: Place): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const place: Place = { ...reached };
  // A page that an earlier catch-up has stepped over may hold what this one is for.
  if (placeOf(mark) === undefined) delete mark.failing?.asc;
  // Only a walk that has begun at the first page can close the books. A full pass tells what has gone since other books were closed.
  if (place.page === 1 && mark.books === undefined)
    place.met ??= { startedAt: ports.clock.now(), moved: false, repaired: 0 };
  const begun = place.met;
  // Without them the backlog goes on all the same. A full pass closes the books then.
  const ids = begun && (await orLeave(ctx, () => loadPassIds(ctx, begun)));
  if (ids === undefined) delete place.met;
  beginAllPages(mark, { ...place });
  await ports.state.saveMark(ctx.lease, mark);
  const { counts, end } = await asBacklog(ctx, (lane) => walkOn(lane, place, ids));
  const { met } = place;
  // Where the pages before it cannot be read either, it is the service that fails.
  if (end?.kind === "failed" && end.last > 0 && hasFailed(mark)) {
    followHead(mark);
    leaveOpen(ctx, { code: "pages-unreachable", pages: [end.page] }, ports.clock.now());
    return counts;
  }
  if (end?.kind !== "end" || counts.left > 0 || (end.isEmpty && mayBeGone(ctx, place) && !hasFailed(mark)))
    // fault: slice-ends-catch-up
    return { ...counts, unfinished: true };
  if (place.isPartial !== true && met !== undefined && ids !== undefined && (await reachesHead(ctx, ids, end.last))) {
    counts.complete = true;
    const { startedAt, moved, repaired } = met;
    await closeBooks(ctx, { ids, startedAt, moved, repaired, changed: 0, found: 0 });
  }
  followHead(mark);
  if (met !== undefined) await dropPassIds(ctx, met);
  return counts;
}

/** Notes one more walk that has ended and come no further; whether these are too many. */
function hasFailed(mark: Mark): boolean {
  const place = placeOf(mark);
  if (place === undefined) return false;
  place.failures = (place.failures ?? 0) + 1;
  return place.failures >= MOST_FAILURES;
}

/** A survey that is gone for a moment looks like one without responses. */
function mayBeGone({ mark, listedCount = 0 }: PollContext, { page }: Place): boolean {
  return listedCount > 0 || page > 1 || mark.highWater !== undefined;
}

/** Walks on from a place, which is raised as pages are done with. Without an end where the time was up. */
async function walkOn(
  ctx: PollContext,
  place: Place,
  ids: PassIds | undefined,
): Promise<{ counts: PollCounts; end: WalkEnd | undefined }> {
  const { clock } = ctx.ports;
  const counts = noCounts();
  const { page: begun } = place;
  const mostOnTheWay = Math.max(LEAST_ON_THE_WAY, ON_THE_WAY * ctx.source.concurrency);
  const pipeline = createPipeline(ctx, mostOnTheWay);
  const from = Math.max(1, begun - 1);
  const steps = readAhead(surveyWalk(ctx, { order: "asc", from, proves: "coverage", ids }), PAGES_AHEAD);
  const beyond = pagesBeyond(begun);
  let dealtTo = begun;
  let savedAt = clock.now();
  let end: WalkEnd | undefined;
  /** Where the walk had to go back for ground the place is further up than it was. */
  const move = (): void => {
    const settled = Math.max(1, pipeline.settledTo() ?? place.page);
    // An earlier failure says nothing of a walk that has come further since.
    if (settled > begun) delete place.failures;
    place.page = settled;
  };
  try {
    for await (const step of steps) {
      addCounts(counts, step);
      // The position does not go beyond the place of something that was left.
      if (counts.left === 0) dealtTo = step.position;
      // fault: left-out-forgotten
      if (!step.covered || step.steppedOver.length > 0) place.isPartial = true;
      if (place.met !== undefined) place.met.moved ||= step.moved;
      const candidates = step.toEmit.map((found) => fromFound(ctx, found, "catch-up"));
      await pipeline.take(dealtTo, candidates);
      await holdLease(ctx);
      if (clock.now() >= savedAt + SAVED_EVERY) {
        move();
        await keepPlace(ctx, place, ids);
        savedAt = clock.now();
      }
      ({ end } = step);
      // However short the time is, a slice gets beyond the place where the last one stopped, and looks again at what made that stop.
      const isBeyond = beyond(step.position) > 0;
      // fault: slice-stops-at-once
      if (isBeyond && clock.now() > ctx.streamUntil) break;
    }
  } finally {
    // Whatever failed, responses on their way come to their end, and count.
    try {
      addCounts(counts, await pipeline.end());
    } finally {
      move();
      if (place.met !== undefined) place.met.repaired += counts.repaired;
      await keepPlace(ctx, place, ids);
    }
  }
  return { counts, end };
}

/** Writes the place and the ids that were met up to there. */
async function keepPlace(ctx: PollContext, place: Place, ids: PassIds | undefined): Promise<void> {
  const older = place.met;
  const kept = ids && (await orLeave(ctx, () => keepPassIds(ctx, ids)));
  if (older !== undefined && kept !== undefined) place.met = { ...older, ...kept };
  else delete place.met;
  beginAllPages(ctx.mark, { ...place });
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  if (older !== undefined) await dropPassIds(ctx, older);
}
