import type { Allowance, PollContext } from "../context.ts";
import { headEnd } from "../model/phase.ts";
import { confirmChanges, nextChange } from "../routes/confirm-changes.ts";
import { passSlice } from "../routes/full-pass.ts";
import { headWalk } from "../routes/head.ts";
import { beginRound, type Due, dueLevels, isUnderWay, nextOf, patrolSlice } from "../routes/patrol.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "../routes/poll-counts.ts";
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

/** Slow work that is no full pass. */
type Task = Due & ({ kind: "full poll" | "changes" | "recheck" } | { kind: "patrol"; level: number });

/** Does what is due of one kind, the most overdue first, as long as the allowance lasts. */
export async function background(ctx: PollContext, request: BackgroundRequest): Promise<BackgroundResult> {
  const result: BackgroundResult = { counts: noCounts(), headRead: false, missing: 0 };
  const { allowance, kind, fullPoll } = request;
  const { clock } = ctx.ports;
  if (kind === "pass") {
    if (passDue(ctx).at <= clock.now()) addCounts(result.counts, await passSlice(ctx, allowance));
    return result;
  }
  const done = new Set<Task["kind"]>();
  while (allowance.left() > 0 && clock.now() <= ctx.deadline && !result.counts.unfinished) {
    const tasks = (await tasksOf(ctx, fullPoll)).filter((one) => !done.has(one.kind));
    const now = clock.now();
    const task = nextOf(tasks, now);
    if (task === undefined || task.at > now) break;
    done.add(task.kind);
    if (task.kind === "patrol") await patrol(ctx, task.level, allowance, result);
    else if (task.kind === "changes") addCounts(result.counts, await confirmChanges(ctx));
    else if (task.kind === "full poll") await readHead(ctx, result);
    else {
      const { counts, sought } = await recheck(ctx, allowance);
      addCounts(result.counts, counts);
      result.missing += sought;
    }
  }
  return result;
}

/** When slow work of this survey is due next. */
export async function nextBackground(ctx: PollContext): Promise<BackgroundDue> {
  const tasks = await tasksOf(ctx);
  const { at, every } = nextOf(tasks, ctx.ports.clock.now()) ?? passDue(ctx);
  return { pass: passDue(ctx), rest: { at, every } };
}

function passDue({ mark, source }: PollContext): Due {
  return { at: mark.pass === undefined ? (mark.nextPass ?? 0) : mark.pass.startedAt, every: source.patrol.full };
}

async function tasksOf(ctx: PollContext, fullPoll?: Due): Promise<Task[]> {
  const { interval, patrol } = ctx.source;
  return [
    ...(fullPoll === undefined ? [] : [{ kind: "full poll" as const, ...fullPoll }]),
    // A change is read again within a poll or two.
    { kind: "changes", at: nextChange(ctx), every: interval },
    // Re-checks have no period of their own: they share that of the patrol's first level.
    { kind: "recheck", at: await nextRecheckOf(ctx), every: patrol.every },
    ...dueLevels(ctx).map((level) => ({ kind: "patrol" as const, ...level })),
  ];
}

async function patrol(ctx: PollContext, level: number, allowance: Allowance, result: BackgroundResult): Promise<void> {
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
