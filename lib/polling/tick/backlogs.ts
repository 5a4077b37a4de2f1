import pLimit from "p-limit";
import { isInterrupted } from "../errors.ts";
import { inRole, type RoleHolder } from "../lease.ts";
import type { RoleNote } from "../model/role.ts";
import { selected } from "../model/source.ts";
import type { Ports } from "../ports.ts";
import { seenBreakers, watchBreakers } from "../publish/under-breaker.ts";
import { catchUpSlice } from "../survey/catch-up-slice.ts";
import { knownOf } from "../survey/with-survey.ts";
import { pause } from "./pause.ts";
import { checkOwnState, pauseOf, type TickRequest } from "./tick-request.ts";
import type { BacklogRound } from "./tick-summary.ts";

// Backlogs are worked off beside the ticks (R25): by one invocation of the source at a time, in slices. Ticks look at the head between two slices.

/** Surveys worked on at once, at most, and no more than requests may be in flight. Else a slow service would bring none of them further. */
const AT_ONCE = 4;
/** Milliseconds: the longest slice, whatever the interval of the ticks, as other surveys may wait for their turn. */
const LONGEST_SLICE = 60_000;
/** A shorter one is not worth its start: then the next tick finds the survey busy, once. */
const SHORTEST_SLICE = 1_000;
/** Share of the interval, and milliseconds at most, that are left before a tick for what is still on its way. */
const RESERVED_SHARE = 0.25;
const MOST_RESERVED = 5_000;
/** Milliseconds for which the next tick is waited for, the same where one may have missed a survey, and between two looks for it. */
const TICK_WAIT = 15_000;
const MISSED_WAIT = 120_000;
const LOOK_EVERY = 500;

export interface BacklogRequest extends TickRequest {
  /** Milliseconds: a tick is taken to be due so soon after the beginning of each round. */
  sliceTime?: number;
  /** Whether the invocation is to end before its deadline. */
  isStopped?: () => boolean;
}

/** Does one round with the ports that it is given, and observes the round. */
export type WatchRound = (work: (ports: Ports) => Promise<BacklogRound>) => Promise<BacklogRound>;

/**
 * Works off the backlogs of a source, round after round, until there is none or the time is up. Does nothing where another invocation is at it. A survey that comes
 * no further rests until a tick has polled it.
 *
 * Example, ticks at 12:00 and 12:01: a slice ends at 12:00:55. The tick of 12:01 polls the survey. The next slice begins once that tick is over.
 */
export async function workOffBacklogs(
  request: BacklogRequest,
  watch: WatchRound = (work) => work(request.ports),
): Promise<void> {
  const { clock } = request.ports;
  await inRole("catch-up", request, async (holder) => {
    const resting = new Set<number>();
    while (isOn(request, holder)) {
      const began = clock.now();
      const round = await watch((ports) => workRound({ ...request, ports }, holder, resting));
      for (const { surveyId, outcome } of round.slices) {
        if (outcome === "stuck") resting.add(surveyId);
      }
      if (round.goesOn && clock.now() < round.until - SHORTEST_SLICE) continue;
      if (!round.goesOn && !round.slices.some(({ outcome }) => outcome === "busy")) return;
      if (await isTickOver(request, holder, { began, ended: clock.now() })) resting.clear();
    }
  });
}

function isOn({ ports, deadline, isStopped }: BacklogRequest, { lost }: RoleHolder): boolean {
  return lost === undefined && ports.clock.now() < deadline && isStopped?.() !== true;
}

/** One slice of each survey that is behind, several at once. */
async function workRound(
  request: BacklogRequest,
  holder: RoleHolder,
  resting: ReadonlySet<number>,
): Promise<BacklogRound> {
  const { ports, source, owner, deadline, sliceTime = Number.POSITIVE_INFINITY } = request;
  const { name, interval } = source;
  const atOnce = Math.min(AT_ONCE, source.concurrency);
  const { state, clock } = ports;
  const account = await state.account();
  checkOwnState(account, request);
  const now = clock.now();
  const until = Math.min(now + sliceTime, sliceEnd(now, (account.lastTick ?? now) + interval, interval));
  const round: BacklogRound = { source: name, slices: [], goesOn: false, until };
  if (pauseOf(request, account) !== undefined) return round;
  const streamUntil = Math.min(deadline, until, now + LONGEST_SLICE);
  const watch = watchBreakers(account.breakers);
  const { shortPageEnds } = account;
  let failure: unknown;
  const work = async (surveyId: number): Promise<void> => {
    if (failure !== undefined || !isOn(request, holder)) return;
    // No time was left for it: it has its turn in the next round.
    if (round.slices.length >= atOnce && clock.now() >= streamUntil) {
      round.goesOn = true;
      return;
    }
    holder.lease.note.lastSurvey = surveyId;
    const known = { ...knownOf(account, account.rows.get(surveyId)?.counts), shortPageEnds, watch };
    try {
      const slice = await catchUpSlice({ ports, source, surveyId, owner, deadline, streamUntil, ...known });
      // A tick beside it may have seen the contrary of what seems so: only a contradiction is sure.
      if (slice.shortPageEnds === false) account.shortPageEnds = false;
      round.slices.push(slice);
      round.goesOn ||= slice.outcome === "goes on";
    } catch (error) {
      failure ??= error;
    }
  };
  const limit = pLimit(atOnce);
  const behind = [...account.rows].flatMap(([surveyId, { isBehind }]) =>
    // fault: behind-forgotten
    isBehind === true && !resting.has(surveyId) && selected(surveyId, source.surveys) ? [surveyId] : [],
  );
  await Promise.all(inTurn(behind, holder.lease.note).map((surveyId) => limit(work, surveyId)));
  const isContradicted = account.shortPageEnds === false && shortPageEnds !== false;
  const changes = { ...seenBreakers(watch), ...(isContradicted ? { shortPageEnds: false } : {}) };
  if (Object.keys(changes).length > 0) await state.saveAccount(changes);
  if (failure !== undefined && !isInterrupted(failure)) throw failure;
  return round;
}

/** The surveys in the order of their turns: first those after the survey whose turn was last, whichever invocation works on them. */
function inTurn(surveyIds: number[], { lastSurvey = Number.NEGATIVE_INFINITY }: RoleNote): number[] {
  return surveyIds.sort((a, b) => Number(a <= lastSurvey) - Number(b <= lastSurvey) || a - b);
}

/** When a slice that begins now ends: before the next tick, which is to begin at `until`. One that begins late has missed ticks already. */
export function sliceEnd(now: number, until: number, interval: number): number {
  const distance = Math.max(interval, 2 * SHORTEST_SLICE);
  const reserved = Math.min(MOST_RESERVED, distance * RESERVED_SHARE);
  const missed = Math.max(0, Math.ceil((now + SHORTEST_SLICE + reserved - until) / distance));
  return until + missed * distance - reserved;
}

/**
 * Waits until a tick that has begun after a round has ended is over: it has looked at the heads. False where none comes in `TICK_WAIT`. It is waited
 * for longer where a tick has begun during the round: that one may have found a survey busy.
 */
async function isTickOver(
  request: BacklogRequest,
  holder: RoleHolder,
  round: { began: number; ended: number },
): Promise<boolean> {
  const { clock, state } = request.ports;
  while (isOn(request, holder)) {
    const { lastTick = 0, underWaySince = lastTick } = await state.lastTick();
    if (lastTick > round.ended) return true;
    const longest = underWaySince > round.began ? MISSED_WAIT : TICK_WAIT;
    if (clock.now() - round.ended >= longest) return false;
    await pause(clock, LOOK_EVERY);
  }
  return false;
}
