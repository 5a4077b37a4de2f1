import type { Allowance, PollContext } from "../context.ts";
import type { Task } from "../model/mark.ts";
import { passSlice } from "../routes/full-pass.ts";
import { headWalk } from "../routes/head.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../routes/poll-counts.ts";
import { nextRecheckOf, recheck } from "../routes/recheck.ts";
import { beginSweep, dueAgain, dueLevel, nextLookBack, sweepSlice } from "../routes/sweep.ts";

// Everything slow that is done for one survey: it shares the source's background budget, and its tasks take turns.

export interface BackgroundRequest {
  allowance: Allowance;
  /** Whether the head is due to be read although nothing asks for it. */
  fullPoll: boolean;
}

export interface BackgroundResult {
  counts: PollCounts;
  headRead: boolean;
  /** Completed responses that operation 9 told of and only pages can give. */
  missing: number;
}

const tasks: readonly Task[] = ["recheck", "sweep", "pass"];

/** Does what is due, in turns, as long as the allowance lasts. */
export async function background(ctx: PollContext, request: BackgroundRequest): Promise<BackgroundResult> {
  const result: BackgroundResult = { counts: noCounts(), headRead: false, missing: 0 };
  const { clock } = ctx.ports;
  const done = new Set<Task>();
  while (request.allowance.left() > 0 && clock.now() <= ctx.deadline && !result.counts.unfinished) {
    const { last, fullPoll } = ctx.mark.turns ?? { last: "pass", fullPoll: false };
    // One request that finds most of what no count has shown.
    if (request.fullPoll && !result.headRead && !fullPoll) {
      ctx.mark.turns = { last, fullPoll: true };
      await readHead(ctx, result);
      continue;
    }
    const task = await nextTask(ctx, done);
    if (task === undefined) {
      if (request.fullPoll && !result.headRead) await readHead(ctx, result);
      break;
    }
    ctx.mark.turns = { last: task, fullPoll: false };
    done.add(task);
    await run[task](ctx, request, result);
  }
  return result;
}

/** Epoch milliseconds at which background work of this survey is due next. */
export async function nextBackground(ctx: PollContext): Promise<number> {
  const { mark } = ctx;
  // At once, whatever the clock of the tick that looks at it says.
  if (mark.sweep !== undefined || mark.pass !== undefined) return 0;
  return Math.min(mark.nextPass ?? 0, nextLookBack(ctx), await nextRecheckOf(ctx));
}

/** The first task after the one that was done last that is due and was not done yet. */
async function nextTask(ctx: PollContext, done: Set<Task>): Promise<Task | undefined> {
  const { last } = ctx.mark.turns ?? { last: "pass" };
  for (let i = 1; i <= tasks.length; i += 1) {
    const task = tasks[(tasks.indexOf(last) + i) % tasks.length];
    if (task !== undefined && !done.has(task) && (await isDue(ctx, task))) return task;
  }
  return undefined;
}

async function isDue(ctx: PollContext, task: Task): Promise<boolean> {
  const { mark, ports } = ctx;
  const now = ports.clock.now();
  if (task === "recheck") return (await nextRecheckOf(ctx)) <= now;
  if (task === "sweep") return mark.sweep !== undefined || dueLevel(ctx) !== undefined;
  return mark.pass !== undefined || now >= (mark.nextPass ?? 0);
}

const run: Record<Task, (ctx: PollContext, request: BackgroundRequest, result: BackgroundResult) => Promise<void>> = {
  async recheck(ctx, request, result) {
    const { counts, sought } = await recheck(ctx, request.allowance);
    addCounts(result.counts, counts);
    result.missing += sought;
  },
  async sweep(ctx, request, result) {
    const { mark } = ctx;
    const again = dueAgain(ctx);
    if (mark.sweep === undefined || again !== undefined) {
      // A look-back goes on where a head walk has ended: what is new at the head is none of its business.
      const isFresh = mark.headEnd !== undefined && mark.headEnd.at + ctx.source.interval > ctx.ports.clock.now();
      if (!isFresh && !result.headRead) await readHead(ctx, result);
      // An empty page that was taken as it is, or a walk cut short, is no place to go on from.
      if (!isClean(result.counts) || (mark.headEnd === undefined && !result.counts.complete)) return;
      beginSweep(ctx, again ?? dueLevel(ctx) ?? 0);
    }
    const { sweep } = mark;
    if (sweep === undefined || request.allowance.left() <= 0) return;
    addCounts(result.counts, await sweepSlice(ctx, sweep, request.allowance));
  },
  async pass(ctx, request, result) {
    addCounts(result.counts, await passSlice(ctx, request.allowance));
  },
};

async function readHead(ctx: PollContext, result: BackgroundResult): Promise<void> {
  result.headRead = true;
  addCounts(result.counts, await headWalk(ctx));
}
