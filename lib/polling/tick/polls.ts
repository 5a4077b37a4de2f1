import pLimit from "p-limit";
import { endsWork, failureOf, isInterrupted } from "../errors.ts";
import type { Learned } from "../learned.ts";
import type { RoleHolder } from "../lease.ts";
import type { AccountState, RestKind, SurveyRow } from "../model/account.ts";
import type { PollingSource } from "../model/source.ts";
import { type PollRequest, type PollResult, pollSurvey } from "../poll-survey.ts";
import type { Ports, SurveyService } from "../ports.ts";
import type { Presence } from "../publish/tell.ts";
import { type Budget, knownOf } from "../survey.ts";
import { type DueTasks, nextRow } from "./schedule.ts";
import type { ListedSurvey } from "./survey-list.ts";
import type { TickRequest } from "./tick-request.ts";
import type { SurveyOutcome } from "./tick-summary.ts";

/** Share of the interval, and milliseconds at least, for which a tick works off backlogs, or looks below the head, before it leaves the rest to `workOffBacklogs`, or to the next tick. */
const OWN_SHARE = 0.25;
const LEAST_OWN_TIME = 1_000;
/**
 * Polled surveys, and milliseconds, after which their rows are saved, should the tick not come to its end. A write costs as much as all rows of the item that it
 * changes. With news in ten thousand surveys in any order, each save touches all items.
 */
const ROWS_AT_ONCE = 25;
const ROWS_EVERY = 10_000;
/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;

/** The polls of one tick. */
export interface Polls {
  request: TickRequest;
  account: AccountState;
  learned: Learned;
  /** The tick's own lease: a tick that has lost it begins no further poll. */
  holder: RoleHolder;
  /** Epoch milliseconds at which the tick began. */
  now: number;
  outcomes: Map<number, SurveyOutcome>;
  /** Rows that are not saved yet; and when, in epoch milliseconds, the last ones were. */
  rows: Map<number, SurveyRow>;
  savedAt: number;
  /** Whether something has failed that concerns the whole source. */
  stopped: boolean;
}

type How = Pick<PollRequest, "head" | "rest">;

export function createPolls(tick: Pick<Polls, "request" | "account" | "learned" | "holder" | "now">): Polls {
  const { now } = tick;
  const nothing = { outcomes: new Map(), rows: new Map(), stopped: false };
  return { ...tick, ...nothing, savedAt: now };
}

/** Polls the surveys that are due for news, many at once. A failure in one does not touch the others. */
export async function pollNews(polls: Polls, due: DueTasks["news"]): Promise<void> {
  // A survey with little news mostly has one request in flight. With more of them a slow service would bring none to its end in time.
  const limit = pLimit(polls.request.source.concurrency);
  await Promise.all(due.map(({ head, ...survey }) => limit(poll, polls, survey, { head })));
  await saveRows(polls);
}

/** Does other work for up to `most` requests; gives what is left of them, less than nothing when the last work took more. */
export async function doRest(polls: Polls, due: DueTasks["rest"], most: number): Promise<number> {
  // fault: no-budget
  const budget: Budget = { left: most };
  for (const { kind, overdue: _, ...survey } of due) {
    if (budget.left <= 0) break;
    // A survey that has just failed altogether, that another process polls, or that has a backlog, is left alone.
    const outcome = polls.outcomes.get(survey.surveyId);
    if (outcome !== undefined && outcome.result?.counts.unfinished !== false) continue;
    await poll(polls, survey, { head: false, rest: { kind, budget } });
  }
  await saveRows(polls);
  return budget.left;
}

async function poll(polls: Polls, survey: ListedSurvey, how: How): Promise<void> {
  const { request, holder } = polls;
  const { ports } = request;
  if (polls.stopped || holder.lease.lost !== undefined || ports.clock.now() > request.deadline) return;
  let hasWaiting = false;
  const observe: Ports["observe"] = (event) => {
    hasWaiting ||= event.kind === "waiting";
    ports.observe(event);
  };
  try {
    const result = await pollSurvey({ ...requestFor(polls, survey), ports: { ...ports, observe }, ...how });
    if (!enter(polls, survey, result, how)) stayDue(polls, survey, how, hasWaiting);
  } catch (error) {
    stayDue(polls, survey, how, hasWaiting);
    polls.stopped ||= endsWork(error);
    // The time was up: it is no failure, and the next tick goes on with it.
    if (isInterrupted(error)) return;
    polls.outcomes.set(survey.surveyId, { error });
    tell(ports, survey, error);
  }
  // A failure from here on is saved with the others at the end.
  if (polls.rows.size >= ROWS_AT_ONCE && ports.clock.now() >= polls.savedAt + ROWS_EVERY) {
    await saveRows(polls).catch(() => undefined);
  }
}

/** The request for a poll, but for its ports and its work. */
function requestFor(
  { request, account, learned, now }: Polls,
  { surveyId, counts, facts, shown, created }: ListedSurvey,
): Omit<PollRequest, "ports" | keyof How> {
  const { source, owner, deadline, ownTime = ownTimeOf(source) } = request;
  return {
    ...knownOf(account, counts),
    source,
    surveyId,
    owner,
    deadline,
    turnUntil: Math.min(deadline, now + ownTime),
    presence: presenceOf(created, account, now),
    listed: facts === undefined ? undefined : { facts, at: now },
    shown,
    learned,
    counts,
    row: account.rows.get(surveyId),
  };
}

/** Takes in what a poll came to. False where it has failed, and the survey is to stay as due as it was. */
function enter(polls: Polls, survey: ListedSurvey, result: PollResult | undefined, how: How): boolean {
  const { request, account, outcomes, now } = polls;
  const { ports } = request;
  const { surveyId } = survey;
  const earlier = outcomes.get(surveyId)?.error;
  const failure = result?.failure;
  outcomes.set(surveyId, { result, error: earlier ?? failure });
  if (failure !== undefined && earlier === undefined) tell(ports, survey, failure);
  if (result === undefined) return true;
  // All but what was left is done, so slow work may follow. As long as something is left the survey is as due as it was.
  if (earlier !== undefined || (failure !== undefined && result.counts.left > 0)) return false;
  const at = { now: ports.clock.now(), tickAt: now, kind: how.rest?.kind };
  const row = nextRow(survey, account.rows.get(surveyId), result, at);
  polls.rows.set(surveyId, row);
  account.rows.set(surveyId, row);
  return true;
}

/** Other work goes first all the same. The next tick asks for what the poll has made wait before it failed. */
function stayDue(
  { request, account, rows }: Polls,
  { surveyId }: ListedSurvey,
  { rest }: How,
  hasWaiting: boolean,
): void {
  const row = account.rows.get(surveyId);
  if (row === undefined) return;
  const now = request.ports.clock.now();
  const tried = (kind: RestKind): SurveyRow["rest"] =>
    ({ ...row.rest, [kind]: { ...row.rest[kind], triedAt: now } }) as SurveyRow["rest"];
  rows.set(surveyId, {
    ...row,
    workedAt: now,
    ...(rest === undefined ? {} : { rest: tried(rest.kind) }),
    ...(hasWaiting ? { dueAt: Math.min(row.dueAt ?? now, now) } : {}),
  });
}

function tell(ports: Ports, { surveyId }: ListedSurvey, error: unknown): void {
  ports.observe({ kind: "survey failed", surveyId, ...failureOf(error) });
}

async function saveRows(polls: Polls): Promise<void> {
  const { rows, request } = polls;
  const { state, clock } = request.ports;
  polls.rows = new Map();
  polls.savedAt = clock.now();
  if (rows.size === 0) return;
  try {
    await state.saveRows(rows);
  } catch (error) {
    polls.rows = new Map([...rows, ...polls.rows]);
    throw error;
  }
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf(created: number | undefined, account: AccountState, now: number): Presence {
  const isLater = created !== undefined && created > (account.firstTick ?? now) && created <= now + FURTHEST_AHEAD;
  return isLater ? "later" : "present";
}

function ownTimeOf({ interval }: Pick<PollingSource, "interval">): number {
  return Math.max(LEAST_OWN_TIME, interval * OWN_SHARE);
}

/** Requests made through a metered service since it was made. */
export interface Meter {
  requests: number;
}

/** Counts the requests made to the service, adding to `meter`. */
export function metered(service: SurveyService, meter: Meter): SurveyService {
  const count = <Args extends unknown[], T>(call: (...args: Args) => T) => {
    return (...args: Args): T => {
      meter.requests += 1;
      return call(...args);
    };
  };
  return {
    surveys: count(() => service.surveys()),
    page: count((surveyId, page, order) => service.page(surveyId, page, order)),
    response: count((surveyId, responseId) => service.response(surveyId, responseId)),
    metrics: count((surveyId, responseId) => service.metrics(surveyId, responseId)),
    metadata: count((surveyId, responseId) => service.metadata(surveyId, responseId)),
    definition: count((surveyId, modified) => service.definition(surveyId, modified)),
  };
}
