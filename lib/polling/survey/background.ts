import type { Allowance, PollContext } from "../context.ts";
import { readForBooks } from "../full-read.ts";
import { headEnd } from "../model/phase.ts";
import { addCounts, isClean, type PollCounts } from "../model/poll-counts.ts";
import { nextRecheckOf, recheck } from "../recheck.ts";
import { beginRound, type Due, dueLevels, nextOf, patrolOf } from "../rescan-levels.ts";
import { rescan, scanHead } from "../scan.ts";

// Everything slow that is done for one survey, within the source's background budget. Full passes have half of that, and all else has the other half.

export type BackgroundKind = "pass" | "rest";

export interface BackgroundRequest {
  allowance: Allowance;
  kind: BackgroundKind;
  /** Set where the head is due to be read although nothing asks for it. */
  fullPoll?: Due | undefined;
}

/** The work of one poll, as far as it is done. */
export interface PollWork {
  counts: PollCounts;
  headRead: boolean;
  /** Completed responses that are known of and yet to be found on pages. */
  missing: number;
  /** New responses that a search below the head has met in this poll. */
  foundBelow: number;
  /** Responses for which one was made that has come to its end, by now or in earlier polls, and has met nothing; else 0. */
  vain: number;
}

/** When slow work of each kind is due. */
export type BackgroundDue = Record<BackgroundKind, Due>;

/** Slow work that is no full pass. */
type Task = Due & ({ kind: "full poll" | "recheck" } | { kind: "patrol"; level: number });

/** Does what is due of one kind, the most overdue first, as long as the allowance lasts. */
export async function background(ctx: PollContext, request: BackgroundRequest, work: PollWork): Promise<void> {
  const { allowance, kind, fullPoll } = request;
  const { clock } = ctx.ports;
  if (kind === "pass") {
    if (passDue(ctx).at <= clock.now()) addCounts(work.counts, await readForBooks(ctx, allowance));
    return;
  }
  const done = new Set<Task["kind"]>();
  while (allowance.left() > 0 && clock.now() <= ctx.deadline && !work.counts.unfinished) {
    const tasks = (await tasksOf(ctx, fullPoll)).filter((one) => !done.has(one.kind));
    const now = clock.now();
    const task = nextOf(tasks, now);
    if (task === undefined || task.at > now) break;
    done.add(task.kind);
    if (task.kind === "patrol") await patrol(ctx, task.level, allowance, work);
    else if (task.kind === "full poll") await readHead(ctx, work);
    else {
      const { counts, sought } = await recheck(ctx, allowance);
      addCounts(work.counts, counts);
      work.missing += sought;
    }
  }
}

/** When slow work of this survey is due next. */
export async function nextBackground(ctx: PollContext): Promise<BackgroundDue> {
  const tasks = await tasksOf(ctx);
  const { at, every } = nextOf(tasks, ctx.ports.clock.now()) ?? passDue(ctx);
  return { pass: passDue(ctx), rest: { at, every } };
}

function passDue({ mark, source }: PollContext): Due {
  // fault: one-pass-only
  return { at: mark.pass === undefined ? (mark.nextPass ?? 0) : mark.pass.startedAt, every: source.patrol.full };
}

async function tasksOf(ctx: PollContext, fullPoll?: Due): Promise<Task[]> {
  const { patrol } = ctx.source;
  return [
    ...(fullPoll === undefined ? [] : [{ kind: "full poll" as const, ...fullPoll }]),
    // Re-checks have no period of their own: they share that of the patrol's first level.
    // fault: no-re-check
    { kind: "recheck", at: await nextRecheckOf(ctx), every: patrol.every },
    ...dueLevels(ctx).map((level) => ({ kind: "patrol" as const, ...level })),
  ];
}

async function patrol(ctx: PollContext, level: number, allowance: Allowance, work: PollWork): Promise<void> {
  let { [level]: round } = patrolOf(ctx).rounds;
  if (round === undefined) {
    // It begins where a head scan has ended: new responses at the head are not its task.
    const { at = Number.NEGATIVE_INFINITY } = headEnd(ctx.mark) ?? {};
    const isFresh = at + ctx.source.interval > ctx.ports.clock.now();
    if (!isFresh && !work.headRead) await readHead(ctx, work);
    // A place to go on from is no empty page taken as it is, and no scan that was cut short.
    if (!isClean(work.counts) || (headEnd(ctx.mark) === undefined && !work.counts.complete)) return;
    round = beginRound(ctx, level);
    if (round === undefined) return;
    patrolOf(ctx).rounds[level] = round;
    if (allowance.left() <= 0) return;
  }
  const done = await rescan(ctx, { level, round }, allowance);
  addCounts(work.counts, done.counts);
  if (done.round !== undefined) patrolOf(ctx).rounds[level] = done.round;
}

async function readHead(ctx: PollContext, work: PollWork): Promise<void> {
  work.headRead = true;
  addCounts(work.counts, await scanHead(ctx));
}
