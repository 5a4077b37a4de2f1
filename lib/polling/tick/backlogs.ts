import pLimit from "p-limit";
import { isInterrupted } from "../errors.ts";
import { learnedBy, newlyLearned } from "../learned.ts";
import { inRole, type RoleHolder } from "../lease.ts";
import type { RoleNote } from "../model/account.ts";
import { placeOf } from "../model/survey-state.ts";
import { pollSurvey } from "../poll-survey.ts";
import type { Ports } from "../ports.ts";
import { type ListedSurvey, surveysOf } from "../survey-list.ts";
import { tellFailed } from "./polls.ts";
import { checkOwnState, pauseOf, requestFor, type TickRequest } from "./tick-request.ts";
import { type SurveySummary, summarize } from "./tick-summary.ts";

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
  turns: SurveySummary[];
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
  await inRole("backlog", request, async (holder) => {
    const restUntil = new Map<number, number>();
    let goesOn = true;
    while (goesOn && isOn(request, holder)) {
      ({ goesOn } = await watch((ports) => workRound({ ...request, ports }, holder, restUntil)));
    }
  });
}

function isOn({ ports, deadline, isStopped }: BacklogRequest, { lease }: RoleHolder): boolean {
  return lease.lost === undefined && ports.clock.now() < deadline && isStopped?.() !== true;
}

/** A turn of each survey that is behind, several at once. `restUntil`: epoch milliseconds, by the ids of surveys that come no further. */
async function workRound(
  request: BacklogRequest,
  holder: RoleHolder,
  restUntil: Map<number, number>,
): Promise<BacklogRound> {
  const { ports, source, deadline, turnTime = TURN } = request;
  const atOnce = Math.min(AT_ONCE, source.concurrency);
  const { state, clock } = ports;
  const account = await state.account();
  ports.observe({ kind: "account", account });
  checkOwnState(account, request);
  const round: BacklogRound = { source: source.name, turns: [], goesOn: false };
  if (pauseOf(ports, account) !== undefined) return round;
  const listedAt = clock.now();
  const isDue = (surveyId: number): boolean =>
    // fault: behind-forgotten
    account.rows.get(surveyId)?.isBehind === true && (restUntil.get(surveyId) ?? 0) <= listedAt;
  if (![...account.rows.keys()].some(isDue)) return round;
  const { listed } = await surveysOf(ports, source, account);
  const behind = listed.filter(({ surveyId }) => isDue(surveyId));
  const turnUntil = Math.min(deadline, clock.now() + turnTime);
  const learned = learnedBy(account);
  let ended: unknown;
  const work = async (survey: ListedSurvey): Promise<void> => {
    if (ended !== undefined || !isOn(request, holder)) return;
    // No time was left for it: it has its turn in the next round.
    if (round.turns.length >= atOnce && clock.now() >= turnUntil) {
      round.goesOn = true;
      return;
    }
    const { surveyId } = survey;
    holder.lease.note.lastSurvey = surveyId;
    const poll = requestFor({ request, account, learned, listedAt }, survey);
    try {
      const { result, error } = await pollSurvey({ ...poll, turnUntil, isTurn: true });
      round.turns.push(summarize(surveyId, { result, error }));
      if (error !== undefined) tellFailed(ports, surveyId, error);
      // A failure is not tried again at once.
      const isMore = result !== undefined && placeOf(result.state) !== undefined;
      if (isMore && result.isFurther && error === undefined) round.goesOn = true;
      else restUntil.set(surveyId, clock.now() + source.interval);
    } catch (error) {
      ended ??= error;
    }
  };
  const limit = pLimit(atOnce);
  await Promise.all(inTurn(behind, holder.lease.note).map((survey) => limit(work, survey)));
  const changes = newlyLearned(learned);
  if (Object.keys(changes).length > 0) await state.saveAccount(changes);
  if (ended !== undefined && !isInterrupted(ended)) throw ended;
  return round;
}

/** The surveys in the order of their turns: first those after the survey whose turn was last, whichever invocation works on them. */
function inTurn(surveys: ListedSurvey[], { lastSurvey = Number.NEGATIVE_INFINITY }: RoleNote): ListedSurvey[] {
  const hadTurn = ({ surveyId }: ListedSurvey): number => Number(surveyId <= lastSurvey);
  return surveys.sort((a, b) => hadTurn(a) - hadTurn(b) || a.surveyId - b.surveyId);
}
