import type { Allowance, PollContext } from "../context.ts";
import type { Task } from "../model/mark.ts";
import { passSlice } from "../routes/full-pass.ts";
import { headScan } from "../routes/head.ts";
import { lookAtOtherEnd } from "../routes/other-end.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../routes/poll-counts.ts";
import { mayRecheck, recheckOpen } from "../routes/recheck.ts";
import { beginSweep, dueAgain, dueLevel, nextLookBack, sweepSlice } from "../routes/sweep.ts";

// Everything slow that is done for one survey: it shares the source's background budget, and its tasks take turns.

export interface BackgroundRequest {
  allowance: Allowance;
  /** Whether the head is due to be read although nothing asks for it. */
  fullPoll: boolean;
  /** New responses that the counts have shown and that are to be looked for below the head. */
  seek: number;
}

export interface BackgroundResult {
  counts: PollCounts;
  headRead: boolean;
  /** Set when the search for what the counts have shown came to an end: how many new responses it met. */
  sought: number | undefined;
  /** Completed responses that operation 9 told of and only pages can give. */
  missing: number;
}

const tasks: readonly Task[] = ["recheck", "sweep", "pass"];

/** Turns that a search for what the counts have shown may have before the other tasks have one. */
const MOST_SEARCH_TURNS = 3;

/** Does what is due, in turns, as long as the allowance lasts. */
export async function background(ctx: PollContext, request: BackgroundRequest): Promise<BackgroundResult> {
  const result: BackgroundResult = { counts: noCounts(), headRead: false, sought: undefined, missing: 0 };
  const { clock } = ctx.ports;
  const done = new Set<Task>();
  while (request.allowance.left() > 0 && clock.now() <= ctx.deadline && !result.counts.unfinished) {
    const { last, fullPoll, searches } = ctx.mark.turns ?? { last: "pass", fullPoll: false, searches: 0 };
    // One request that finds most of what no count has shown.
    if (request.fullPoll && !result.headRead && !fullPoll) {
      ctx.mark.turns = { last, fullPoll: true, searches };
      await readHead(ctx, result);
      continue;
    }
    const task = await nextTask(ctx, request, done);
    if (task === undefined) {
      if (request.fullPoll && !result.headRead) await readHead(ctx, result);
      break;
    }
    const isSearch = task === "sweep" && request.seek > 0;
    ctx.mark.turns = { last: task, fullPoll: false, searches: isSearch ? searches + 1 : 0 };
    done.add(task);
    await run[task](ctx, request, result);
  }
  return result;
}

/** Epoch milliseconds at which background work of this survey is due next. */
export async function nextBackground(ctx: PollContext): Promise<number> {
  const { mark, ports } = ctx;
  // At once, whatever the clock of the tick that looks at it says.
  if (mark.sweep !== undefined || mark.pass !== undefined) return 0;
  const open = mayRecheck(ctx) ? await ports.state.nextDue(ctx.surveyId, "open") : undefined;
  return Math.min(mark.nextPass ?? 0, nextLookBack(ctx), open ?? Number.POSITIVE_INFINITY);
}

/** The first task after the one that was done last that is due and was not done yet. */
async function nextTask(ctx: PollContext, request: BackgroundRequest, done: Set<Task>): Promise<Task | undefined> {
  const { last, searches } = ctx.mark.turns ?? { last: "pass", searches: 0 };
  // What is known to be missing goes before what may be, but does not starve it.
  if (request.seek > 0 && !done.has("sweep") && searches < MOST_SEARCH_TURNS) return "sweep";
  for (let i = 1; i <= tasks.length; i += 1) {
    const task = tasks[(tasks.indexOf(last) + i) % tasks.length];
    if (task !== undefined && !done.has(task) && (await isDue(ctx, task, request))) return task;
  }
  return undefined;
}

async function isDue(ctx: PollContext, task: Task, request: BackgroundRequest): Promise<boolean> {
  const { mark, ports } = ctx;
  const now = ports.clock.now();
  if (task === "recheck") {
    return mayRecheck(ctx) && ((await ports.state.nextDue(ctx.surveyId, "open")) ?? Number.POSITIVE_INFINITY) <= now;
  }
  if (task === "sweep") return mark.sweep !== undefined || request.seek > 0 || dueLevel(ctx) !== undefined;
  return mark.pass !== undefined || now >= (mark.nextPass ?? 0);
}

const run: Record<Task, (ctx: PollContext, request: BackgroundRequest, result: BackgroundResult) => Promise<void>> = {
  async recheck(ctx, request, result) {
    const { counts, sought } = await recheckOpen(ctx, request.allowance);
    addCounts(result.counts, counts);
    result.missing += sought;
  },
  async sweep(ctx, request, result) {
    const { mark } = ctx;
    const isNewSearch = request.seek > 0 && mark.sweep?.goal !== "seek";
    const again = request.seek > 0 ? undefined : dueAgain(ctx);
    if (mark.sweep === undefined || isNewSearch || again !== undefined) {
      // A sweep goes on where a head scan has ended: what is new at the head is none of its business.
      const isFresh = mark.headEnd !== undefined && mark.headEnd.at + ctx.source.interval > ctx.ports.clock.now();
      if (!isFresh && !result.headRead) await readHead(ctx, result);
      // An empty page that was taken as it is, or a scan cut short, is no place to go on from.
      if (!isClean(result.counts) || (mark.headEnd === undefined && !result.counts.complete)) return;
      if (isNewSearch && mark.headEnd !== undefined && (await foundAtOtherEnd(ctx, request, result))) return;
      beginSweep(ctx, request.seek > 0 ? "seek" : "look-back", again ?? dueLevel(ctx) ?? 0);
      if (mark.sweep === undefined && request.seek > 0) result.sought = result.counts.found;
    }
    const { sweep } = mark;
    if (sweep === undefined || request.allowance.left() <= 0) return;
    const { counts, found, ended } = await sweepSlice(ctx, sweep, request.allowance, request.seek);
    addCounts(result.counts, counts);
    if (sweep.goal === "seek" && ended) result.sought = found;
  },
  async pass(ctx, request, result) {
    addCounts(result.counts, await passSlice(ctx, request.allowance));
  },
};

/** Whether a search is over for now because the other end of the list had something new. */
async function foundAtOtherEnd(
  ctx: PollContext,
  request: BackgroundRequest,
  result: BackgroundResult,
): Promise<boolean> {
  const { counts, found } = await lookAtOtherEnd(ctx, request.allowance);
  addCounts(result.counts, counts);
  // What is held would be met there each time.
  return counts.unfinished || (found > 0 && isClean(counts));
}

async function readHead(ctx: PollContext, result: BackgroundResult): Promise<void> {
  result.headRead = true;
  addCounts(result.counts, await headScan(ctx));
}
