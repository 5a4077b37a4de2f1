import type { PollContext } from "../context.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { classOf, type Run } from "../model/records.ts";
import type { Order } from "../ports.ts";
import { isFull, type Page, toPage } from "../walk/page.ts";
import { catchUp } from "./catch-up.ts";
import { agreesWithCounts, isBelieved, pause } from "./first-look.ts";
import { chooseFloor, setFloor } from "./floor.ts";
import { headWalk } from "./head.ts";
import { newestDate, orderedByCompletion, orderedByStart } from "./list-order.ts";

/** Whether a survey's history counts: one that came to be after the source's first tick is taken from its beginning. */
export type Presence = "present" | "later";

/** Completed responses on the first pages of both orders that say something of the order. */
const LEAST_COMPLETED = 6;

/** Looks within the source's first tick, and the milliseconds between two of them: later ticks cannot tell what was there then. */
const MOST_LOOKS = 5;
const BETWEEN = 2_000;

/**
 * The first poll of a survey: sets the floor, then meets everything that is there. Where the list is ordered by completion that ends below the floor. Else every
 * page is read once, because only the ledger can tell later what was there already.
 */
export async function firstPass(ctx: PollContext, presence: Presence): Promise<PollCounts> {
  const { startFrom } = ctx.source;
  const { mark } = ctx;
  if (startFrom === "beginning" || presence === "later") {
    await setFloor(ctx);
    return catchUpAll(ctx);
  }
  const looked = await lookUntilBelieved(ctx);
  if (looked === undefined) return { ...noCounts(), unfinished: true };
  const { descending, ascending, runs, shown } = looked;
  const now = ctx.ports.clock.now();
  const newest = newestDate(runs, now);
  const both = [...descending, ...ascending];
  // Where both orders show the same responses there is no further page between them.
  const isAll = [descending, ascending].every((one) => idsOf(one).size === idsOf(both).size);
  const completed = idsOf(both.filter((run) => classOf(run) === "completed")).size;
  const noneCompleted = isAll && !runs.some((run) => classOf(run) === "completed");
  // Few dates are in order by chance, and those of a list sorted by start mostly are.
  const tells = isAll || (completed >= LEAST_COMPLETED && !orderedByStart(descending, ascending, now));
  const ordered = noneCompleted || (newest !== undefined && tells && orderedByCompletion(descending, ascending, now));
  // A floor that stands from an earlier poll stays, and so does the way in which it was found.
  await setFloor(ctx, chooseFloor(ctx, { shown, newest, noneCompleted, ordered }));
  return ordered && mark.floor?.rises !== true ? headWalk(ctx) : catchUpAll(ctx);
}

/** The first pages of both orders, as they were read. */
interface FirstLook {
  descending: Run[];
  ascending: Run[];
  /** All that was read of both. */
  runs: Run[];
  /** Number of responses; 0 where one of the pages was empty. */
  shown: number;
  isFullPage: boolean;
}

/** Undefined where what the list shows is not believed yet. In the source's first tick it is looked at again before that ends. */
async function lookUntilBelieved(ctx: PollContext): Promise<FirstLook | undefined> {
  const isFirstTick = ctx.firstTick === undefined;
  for (let looks = 1; ; looks += 1) {
    const look = await lookAtBothEnds(ctx);
    const isEnough = looks === 1 ? isBelieved : agreesWithCounts;
    if (isEnough(ctx, look.shown, look.isFullPage)) return look;
    if (!isFirstTick || looks >= MOST_LOOKS || ctx.ports.clock.now() > ctx.deadline) return undefined;
    await pause(ctx.ports.clock, BETWEEN);
  }
}

async function lookAtBothEnds(ctx: PollContext): Promise<FirstLook> {
  const pages = [await firstPage(ctx, "desc"), await firstPage(ctx, "asc")];
  const [first = [], ascending = []] = pages.map((page) => page?.runs ?? []);
  // An arrival between the two looks makes an ordered list seem unordered, and a page may be read as empty by mistake.
  if (!orderedByCompletion(first, ascending, ctx.ports.clock.now())) pages.push(await firstPage(ctx, "desc"));
  const again = pages[2]?.runs ?? [];
  const descending = again.length > 0 ? again : first;
  const runs = [...first, ...again, ...ascending];
  const isThere = pages.every((page) => page !== undefined);
  const shown = isThere ? idsOf(runs).size : 0;
  return { descending, ascending, runs, shown, isFullPage: pages.every((page) => page !== undefined && isFull(page)) };
}

function idsOf(runs: Run[]): Set<number> {
  return new Set(runs.map(({ responseId }) => responseId));
}

/** After a walk over all pages the head is looked at: the list may have its news elsewhere than at the asc end. */
async function catchUpAll(ctx: PollContext): Promise<PollCounts> {
  const counts = await catchUp(ctx, { page: 1 });
  return isClean(counts) ? addCounts(counts, await headWalk(ctx)) : counts;
}

async function firstPage(ctx: PollContext, order: Order): Promise<Page | undefined> {
  return toPage(1, await ctx.ports.service.page(ctx.surveyId, 1, order));
}
