import type { Allowance, PollContext } from "../context.ts";
import { headEnd } from "../model/phase.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../model/poll-counts.ts";
import { confirmChanges, nextChange } from "../routes/confirm-changes.ts";
import { passSlice } from "../routes/full-pass.ts";
import { headWalk } from "../routes/head.ts";
import { beginRound, type Due, dueLevel, dueLevels, isUnderWay, overdue, patrolSlice } from "../routes/patrol.ts";
import { nextRecheckOf, recheck } from "../routes/recheck.ts";

// Everything slow that is done for one survey, within the source's background budget. Full passes have half of that, and all else has the other half.

export type BackgroundKind = "pass" | "rest";

export interface BackgroundRequest {
  allowance: Allowance;
  kind: BackgroundKind;
  /** Set where the head is due to be read although nothing asks for it. */
  fullPoll?: Due | undefined;
}

export interface BackgroundResult {
  counts: PollCounts;
  headRead: boolean;
  /** Completed responses of which operation 9 has told and that only pages can give. */
  missing: number;
}

/** When slow work of each kind is due. */
export type BackgroundDue = Record<BackgroundKind, Due>;

type Task = "full poll" | "changes" | "recheck" | "patrol";

/** Does what is due of one kind, the most overdue first, as long as the allowance lasts. */
export async function background(ctx: PollContext, request: BackgroundRequest): Promise<BackgroundResult> {
  const result: BackgroundResult = { counts: noCounts(), headRead: false, missing: 0 };
  const { allowance, kind } = request;
  if (kind === "pass") {
    if (passDue(ctx).at <= ctx.ports.clock.now()) addCounts(result.counts, await passSlice(ctx, allowance));
    return result;
  }
  const { clock } = ctx.ports;
  const done = new Set<Task>();
  while (allowance.left() > 0 && clock.now() <= ctx.deadline && !result.counts.unfinished) {
    const task = await nextTask(ctx, request, done);
    if (task === undefined) break;
    done.add(task);
    if (task === "patrol") await patrol(ctx, allowance, result);
    else if (task === "changes") addCounts(result.counts, await confirmChanges(ctx));
    else if (task === "full poll") await readHead(ctx, result);
    else {
      const { counts, sought } = await recheck(ctx, allowance);
      addCounts(result.counts, counts);
      result.missing += sought;
    }
  }
  return result;
}

/** When slow work of this survey is due next. Of the rest the task that is overdue by most of its periods counts, or else the one that comes first. */
export async function nextBackground(ctx: PollContext): Promise<BackgroundDue> {
  const now = ctx.ports.clock.now();
  const changes = changesDue(ctx);
  const [first, ...others] = [await recheckDue(ctx), ...(changes === undefined ? [] : [changes]), ...dueLevels(ctx)];
  const rest = others.reduce((most, due) => {
    const isOverdue = due.at <= now || most.at <= now;
    const isMore = isOverdue ? overdue(due, now) > overdue(most, now) : due.at < most.at;
    return isMore ? due : most;
  }, first);
  return { pass: passDue(ctx), rest };
}

function passDue({ mark, source }: PollContext): Due {
  return { at: mark.pass === undefined ? (mark.nextPass ?? 0) : mark.pass.startedAt, every: source.patrol.full };
}

/** Re-checks have no period of their own: they share that of the patrol's first level. */
async function recheckDue(ctx: PollContext): Promise<Due> {
  return { at: await nextRecheckOf(ctx), every: ctx.source.patrol.every };
}

/** A change is read again within a poll or two. */
function changesDue(ctx: PollContext): Due | undefined {
  const at = nextChange(ctx);
  return at === undefined ? undefined : { at, every: ctx.source.interval };
}

/** The task that is overdue by most of its periods, of those that were not done yet. */
async function nextTask(
  ctx: PollContext,
  { fullPoll }: BackgroundRequest,
  done: ReadonlySet<Task>,
): Promise<Task | undefined> {
  const now = ctx.ports.clock.now();
  const level = dueLevel(ctx);
  const dues: Record<Task, Due | undefined> = {
    "full poll": fullPoll,
    changes: changesDue(ctx),
    recheck: await recheckDue(ctx),
    patrol: level === undefined ? undefined : dueLevels(ctx)[level],
  };
  let next: { task: Task; by: number } | undefined;
  for (const task of ["full poll", "changes", "recheck", "patrol"] as const) {
    const due = dues[task];
    if (due === undefined || done.has(task)) continue;
    const by = overdue(due, now);
    if (by >= 0 && by > (next?.by ?? -1)) next = { task, by };
  }
  return next?.task;
}

async function patrol(ctx: PollContext, allowance: Allowance, result: BackgroundResult): Promise<void> {
  const level = dueLevel(ctx);
  if (level === undefined) return;
  if (!isUnderWay(ctx, level)) {
    // The patrol begins where a head walk has ended: new responses at the head are not its task.
    const { at = Number.NEGATIVE_INFINITY } = headEnd(ctx.mark) ?? {};
    const isFresh = at + ctx.source.interval > ctx.ports.clock.now();
    if (!isFresh && !result.headRead) await readHead(ctx, result);
    // A place to go on from is no empty page taken as it is, and no walk that was cut short.
    if (!isClean(result.counts) || (headEnd(ctx.mark) === undefined && !result.counts.complete)) return;
    beginRound(ctx, level);
    if (allowance.left() <= 0) return;
  }
  addCounts(result.counts, await patrolSlice(ctx, level, allowance));
}

async function readHead(ctx: PollContext, result: BackgroundResult): Promise<void> {
  result.headRead = true;
  addCounts(result.counts, await headWalk(ctx));
}
