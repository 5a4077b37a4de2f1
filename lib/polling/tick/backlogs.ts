import pLimit from "p-limit";
import type { ToldFailure } from "../../errors.ts";
import { endsWork, failureOf, isInterrupted } from "../errors.ts";
import { learnedBy, newlyLearned } from "../learned.ts";
import { inRole, type RoleHolder } from "../lease.ts";
import type { RoleNote } from "../model/account.ts";
import { noCounts, withheldOf } from "../model/poll-counts.ts";
import { selected } from "../model/source.ts";
import { pollSurvey } from "../poll-survey.ts";
import type { Ports } from "../ports.ts";
import { knownOf, type SurveyRequest } from "../survey.ts";
import { checkOwnState, pauseOf, type TickRequest } from "./tick-request.ts";

// Backlogs are worked off beside the ticks (R25): by one invocation of the source at a time, in turns of a minute.

/** Surveys worked on at once, at most, and no more than requests may be in flight. Else a slow service would bring none of them further. */
const AT_ONCE = 4;
/** Milliseconds of a turn: then other surveys have theirs. */
const TURN = 60_000;

export interface BacklogRequest extends TickRequest {
  /** Milliseconds of a turn; a minute where it is left out. */
  turnTime?: number;
  /** Whether the invocation is to end before its deadline. */
  isStopped?: () => boolean;
}

/** One round of working off backlogs: what a turn of each survey came to. */
export interface BacklogRound {
  source: string;
  turns: TurnSummary[];
  /** Whether there is more to do at once. */
  goesOn: boolean;
}

/** Does one round with the ports that it is given, and observes the round. */
export type WatchRound = (work: (ports: Ports) => Promise<BacklogRound>) => Promise<BacklogRound>;

/**
 * Works off the backlogs of a source, turn after turn, until there is none or the time is up. Does nothing where another invocation is at it. In its turn a survey is
 * polled as a tick polls it. A tick leaves it alone meanwhile. A survey that comes no further rests for an interval.
 *
 * Example, two backlogs: both have their turn from 12:00:00 to 12:01:00, and the next one from then on. The tick of 12:01:00 polls all other surveys.
 */
export async function workOffBacklogs(
  request: BacklogRequest,
  watch: WatchRound = (work) => work(request.ports),
): Promise<void> {
  const { ports, source } = request;
  await inRole("backlog", request, async (holder) => {
    const restUntil = new Map<number, number>();
    let goesOn = true;
    while (goesOn && isOn(request, holder)) {
      const round = await watch((watched) => workRound({ ...request, ports: watched }, holder, restUntil));
      for (const { surveyId, outcome } of round.turns) {
        if (outcome !== "goes on") restUntil.set(surveyId, ports.clock.now() + source.interval);
      }
      ({ goesOn } = round);
    }
  });
}

function isOn({ ports, deadline, isStopped }: BacklogRequest, { lease }: RoleHolder): boolean {
  return lease.lost === undefined && ports.clock.now() < deadline && isStopped?.() !== true;
}

/** A turn of each survey that is behind, several at once. */
async function workRound(
  request: BacklogRequest,
  holder: RoleHolder,
  restUntil: ReadonlyMap<number, number>,
): Promise<BacklogRound> {
  const { ports, source, owner, deadline, turnTime = TURN } = request;
  const atOnce = Math.min(AT_ONCE, source.concurrency);
  const { state, clock } = ports;
  const account = await state.account();
  ports.observe({ kind: "account", account });
  checkOwnState(account, request);
  const began = clock.now();
  const round: BacklogRound = { source: source.name, turns: [], goesOn: false };
  if (pauseOf(request, account) !== undefined) return round;
  const turnUntil = Math.min(deadline, began + turnTime);
  const learned = learnedBy(account);
  let failure: unknown;
  const work = async (surveyId: number): Promise<void> => {
    if (failure !== undefined || !isOn(request, holder)) return;
    // No time was left for it: it has its turn in the next round.
    if (round.turns.length >= atOnce && clock.now() >= turnUntil) {
      round.goesOn = true;
      return;
    }
    holder.lease.note.lastSurvey = surveyId;
    const known = { ...knownOf(account, account.rows.get(surveyId)?.counts), learned };
    try {
      const slice = await backlogTurn({ ports, source, surveyId, owner, deadline, turnUntil, ...known });
      round.turns.push(slice);
      round.goesOn ||= slice.outcome === "goes on";
    } catch (error) {
      failure ??= error;
    }
  };
  const limit = pLimit(atOnce);
  const behind = [...account.rows].flatMap(([surveyId, { isBehind }]) =>
    // fault: behind-forgotten
    isBehind === true && (restUntil.get(surveyId) ?? began) <= began && selected(surveyId, source.surveys)
      ? [surveyId]
      : [],
  );
  await Promise.all(inTurn(behind, holder.lease.note).map((surveyId) => limit(work, surveyId)));
  const changes = newlyLearned(learned);
  if (Object.keys(changes).length > 0) await state.saveAccount(changes);
  if (failure !== undefined && !isInterrupted(failure)) throw failure;
  return round;
}

/** The surveys in the order of their turns: first those after the survey whose turn was last, whichever invocation works on them. */
function inTurn(surveyIds: number[], { lastSurvey = Number.NEGATIVE_INFINITY }: RoleNote): number[] {
  return surveyIds.sort((a, b) => Number(a <= lastSurvey) - Number(b <= lastSurvey) || a - b);
}

export interface TurnSummary {
  surveyId: number;
  /** Goes on: there is more to do, at once. Stuck: there is more, but something has failed, or it came no further. Busy: someone else has the survey. */
  outcome: "done" | "goes on" | "stuck" | "busy";
  emitted: number;
  waiting: number;
  /** New responses and records that were quarantined, refused by the bus or held. */
  withheld: number;
  /** The failure of all of it, or of some responses, which are left to a later turn. */
  failure?: ToldFailure;
}

/**
 * One turn of a survey's backlog, until `turnUntil`. Throws what concerns the whole source, or ends the invocation. Any other failure is told, and left to a
 * later turn.
 */
export async function backlogTurn(request: SurveyRequest): Promise<TurnSummary> {
  const { surveyId, ports } = request;
  const cameTo = (outcome: TurnSummary["outcome"], counts = noCounts(), error?: unknown): TurnSummary => {
    const { emitted, waiting } = counts;
    const summary: TurnSummary = { surveyId, outcome, emitted, waiting, withheld: withheldOf(counts) };
    if (error === undefined) return summary;
    const failure = failureOf(error);
    ports.observe({ kind: "survey failed", surveyId, ...failure });
    return { ...summary, failure };
  };
  try {
    const result = await pollSurvey({ ...request, presence: "present", head: true, isTurn: true });
    if (result === undefined) return cameTo("busy");
    const { counts, failure } = result;
    // A failure is not tried again at once.
    const goesOn = result.isFurther && failure === undefined;
    return cameTo(!result.resumed ? "done" : goesOn ? "goes on" : "stuck", counts, failure);
  } catch (error) {
    if (endsWork(error)) throw error;
    return cameTo("stuck", noCounts(), error);
  }
}
