import { closeBooks, leaveOpen } from "../books/books.ts";
import { createPassIds, type PassIds } from "../books/pass-ids.ts";
import { asBacklog, type PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
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
/** Ids that a catch-up holds: more are left to the full pass that follows, which keeps them elsewhere. */
const MOST_IDS = 50_000;

/**
 * Walks to the asc end of the list, whatever its length. Pages are read ahead, and many responses are on their way to the bus at once (see `pipeline.ts`). The
 * position is saved as pages are done with, so that a crash costs the publishes in flight. The position does not pass a response that had to be left. The walk
 * begins again there: pages behind it are read once more, and no event goes out twice.
 */
export async function catchUp(ctx: PollContext, reached: Place): Promise<PollCounts> {
  const { mark, ports } = ctx;
  const place: Place = { ...reached };
  // A page that an earlier catch-up has stepped over may hold what this one is for.
  if (placeOf(mark) === undefined) delete mark.failing?.asc;
  beginAllPages(mark, place);
  await ports.state.saveMark(ctx.lease, mark);
  const startedAt = ports.clock.now();
  const from = Math.max(1, reached.page - 1);
  // Only a walk from the first page to the last in one go can close the books. A full pass tells what has gone since other books were closed.
  const ids = from === 1 && mark.books === undefined ? createPassIds() : undefined;
  const { counts, end } = await asBacklog(ctx, () => walkOn(ctx, place, from, ids));
  // Where the pages before it cannot be read either, it is the service that fails.
  if (end?.kind === "failed" && end.last > 0 && hasFailed(place)) {
    followHead(mark);
    leaveOpen(ctx, `page ${end.page} unreachable`, ports.clock.now());
    return counts;
  }
  if (end?.kind !== "end" || counts.left > 0 || (end.isEmpty && mayBeGone(ctx, place) && !hasFailed(place)))
    return { ...counts, unfinished: true };
  if (place.isPartial !== true && ids !== undefined && (await reachesHead(ctx, ids, end.last))) {
    counts.complete = true;
    const fewIds = ids.all.size > MOST_IDS ? undefined : ids;
    const { repaired } = counts;
    await closeBooks(ctx, { ids: fewIds, startedAt, moved: end.moved, changed: 0, repaired, found: 0 });
  }
  followHead(mark);
  return counts;
}

/** Notes one more walk that has ended and come no further; whether these are too many. */
function hasFailed(place: Place): boolean {
  place.failures = (place.failures ?? 0) + 1;
  return place.failures >= MOST_FAILURES;
}

/** A survey that is gone for a moment looks like one without responses. */
function mayBeGone({ mark, listedCount = 0 }: PollContext, { page }: Place): boolean {
  return listedCount > 0 || page > 1 || mark.highWater !== undefined;
}

/** Walks on from a page; the position is raised as pages are done with. Without an end where the time was up. */
async function walkOn(
  ctx: PollContext,
  place: Place,
  from: number,
  ids: PassIds | undefined,
): Promise<{ counts: PollCounts; end: WalkEnd | undefined }> {
  const { clock, state } = ctx.ports;
  const counts = noCounts();
  const { page: begun } = place;
  const mostOnTheWay = Math.max(LEAST_ON_THE_WAY, ON_THE_WAY * ctx.source.concurrency);
  const pipeline = createPipeline(ctx, mostOnTheWay);
  const steps = readAhead(surveyWalk(ctx, { order: "asc", from, proves: "coverage", ids }), PAGES_AHEAD);
  const beyond = pagesBeyond(begun);
  let dealtTo = begun;
  let end: WalkEnd | undefined;
  /** Where the walk had to go back for ground the place is further up than it was. Whether it has changed. */
  const move = (): boolean => {
    const settled = pipeline.settledTo() ?? place.page;
    if (settled === place.page) return false;
    // An earlier failure says nothing of a walk that has come further since.
    if (settled > begun) delete place.failures;
    place.page = settled;
    return true;
  };
  try {
    for await (const step of steps) {
      addCounts(counts, step);
      // The position does not go beyond the place of something that was left.
      if (counts.left === 0) dealtTo = step.position;
      if (!step.covered || step.steppedOver.length > 0) place.isPartial = true;
      const candidates = step.toEmit.map((found) => fromFound(ctx, found, "catch-up"));
      await pipeline.take(dealtTo, candidates);
      await holdLease(ctx);
      if (move()) await state.saveMark(ctx.lease, ctx.mark);
      ({ end } = step);
      const isUndecided = ctx.mark.contents.suspects !== undefined;
      // However short the time is, a slice gets beyond the place where the last one stopped, and looks again at what made that stop.
      const isBeyond = beyond(step.position) > 0;
      if (isBeyond && (isUndecided || clock.now() > ctx.streamUntil)) break;
    }
  } finally {
    // Whatever failed, responses on their way come to their end, and count.
    addCounts(counts, await pipeline.end());
    move();
  }
  return { counts, end };
}
