import pLimit from "p-limit";
import { endsWork, failureOf, isInterrupted } from "../errors.ts";
import type { Learned } from "../learned.ts";
import type { RoleHolder } from "../lease.ts";
import type { AccountState, RestKind, SurveyRow } from "../model/account.ts";
import { addCounts } from "../model/poll-counts.ts";
import type { PollingSource } from "../model/source.ts";
import { type PollRequest, type PollResult, pollSurvey } from "../poll-survey.ts";
import type { Ports, SurveyService } from "../ports.ts";
import type { Presence } from "../publish/tell.ts";
import { type Budget, knownOf } from "../survey.ts";
import { type DueTasks, nextRow, UNPOLLED } from "./schedule.ts";
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

type How = Pick<PollRequest, "head" | "rest">;

/** What the polls of one tick share. */
export interface PollsOptions {
  request: TickRequest;
  account: AccountState;
  learned: Learned;
  /** The tick's own lease: a tick that has lost it begins no further poll. */
  holder: RoleHolder;
  /** Epoch milliseconds at which the tick began. */
  now: number;
}

/** The polls of one tick: what each came to, and the rows that follow from that. */
export class Polls {
  readonly outcomes = new Map<number, SurveyOutcome>();
  private readonly options: PollsOptions;
  /** Rows that are not saved yet; and when, in epoch milliseconds, the last ones were. */
  private unsaved = new Map<number, SurveyRow>();
  private savedAt: number;
  /** Whether something has failed that concerns the whole source. */
  private isStopped = false;

  constructor(options: PollsOptions) {
    this.options = options;
    this.savedAt = options.now;
  }

  /** Polls the surveys that are due for news, many at once. A failure in one does not touch the others. */
  async pollNews(due: DueTasks["news"]): Promise<void> {
    // A survey with little news mostly has one request in flight. With more of them a slow service would bring none to its end in time.
    const limit = pLimit(this.options.request.source.concurrency);
    await Promise.all(due.map(({ head, ...survey }) => limit(() => this.poll(survey, { head }))));
    await this.saveRows();
  }

  /** Does other work for up to `most` requests; gives what is left of them, less than nothing when the last work took more. */
  async doRest(due: DueTasks["rest"], most: number): Promise<number> {
    // fault: no-budget
    const budget: Budget = { left: most };
    for (const { kind, overdue: _, ...survey } of due) {
      if (budget.left <= 0) break;
      // A survey that has just failed altogether, that another process polls, or that has a backlog, is left alone.
      const outcome = this.outcomes.get(survey.surveyId);
      if (outcome !== undefined && outcome.result?.counts.unfinished !== false) continue;
      await this.poll(survey, { head: false, rest: { kind, budget } });
    }
    await this.saveRows();
    return budget.left;
  }

  private async poll(survey: ListedSurvey, how: How): Promise<void> {
    const { request, holder } = this.options;
    const { ports } = request;
    if (this.isStopped || holder.lease.lost !== undefined || ports.clock.now() > request.deadline) return;
    let hasWaiting = false;
    const observe: Ports["observe"] = (event) => {
      hasWaiting ||= event.kind === "waiting";
      ports.observe(event);
    };
    try {
      const result = await pollSurvey({ ...requestFor(this.options, survey), ports: { ...ports, observe }, ...how });
      if (!this.enter(survey, result, how)) this.stayDue(survey, how, { hasWaiting, hasFailed: true });
    } catch (error) {
      this.stayDue(survey, how, { hasWaiting, hasFailed: !isInterrupted(error) });
      this.isStopped ||= endsWork(error);
      // The time was up: it is no failure, and the next tick goes on with it.
      if (isInterrupted(error)) return;
      this.outcomes.set(survey.surveyId, { error });
      tell(ports, survey, error);
    }
    // A failure from here on is saved with the others at the end.
    if (this.unsaved.size >= ROWS_AT_ONCE && ports.clock.now() >= this.savedAt + ROWS_EVERY) {
      await this.saveRows().catch(() => undefined);
    }
  }

  /** Takes in what a poll came to. False where it has failed, and the survey is to stay as due as it was. */
  private enter(survey: ListedSurvey, result: PollResult | undefined, how: How): boolean {
    const { request, account, now } = this.options;
    const { ports } = request;
    const { surveyId } = survey;
    const { error: earlier, result: before } = this.outcomes.get(surveyId) ?? {};
    const failure = result?.failure;
    this.outcomes.set(surveyId, { result: inOne(before, result), error: earlier ?? failure });
    if (failure !== undefined && earlier === undefined) tell(ports, survey, failure);
    if (result === undefined) return true;
    // All but what was left is done, so slow work may follow. As long as something is left the survey is as due as it was.
    if (earlier !== undefined || (failure !== undefined && result.counts.left > 0)) return false;
    const at = { now: ports.clock.now(), tickAt: now, kind: how.rest?.kind };
    this.take(surveyId, nextRow(survey, account.rows.get(surveyId), result, at));
    return true;
  }

  /** An attempt counts as work done, so other work goes first. What the poll has made wait before it failed is due at the next tick. */
  private stayDue(
    { surveyId }: ListedSurvey,
    { rest }: How,
    { hasWaiting, hasFailed }: { hasWaiting: boolean; hasFailed: boolean },
  ): void {
    const { request, account } = this.options;
    const row = account.rows.get(surveyId) ?? UNPOLLED;
    const now = request.ports.clock.now();
    const tried = (kind: RestKind): SurveyRow["rest"] => ({
      ...row.rest,
      [kind]: { ...row.rest[kind], triedAt: now },
    });
    this.take(surveyId, {
      ...row,
      workedAt: now,
      ...(hasFailed ? { failingSince: row.failingSince ?? now } : {}),
      ...(rest === undefined ? {} : { rest: tried(rest.kind) }),
      ...(hasWaiting ? { dueAt: Math.min(row.dueAt ?? now, now) } : {}),
    });
  }

  private take(surveyId: number, row: SurveyRow): void {
    this.unsaved.set(surveyId, row);
    this.options.account.rows.set(surveyId, row);
  }

  private async saveRows(): Promise<void> {
    const { state, clock } = this.options.request.ports;
    const rows = this.unsaved;
    this.unsaved = new Map();
    this.savedAt = clock.now();
    if (rows.size === 0) return;
    try {
      await state.saveRows(rows);
    } catch (error) {
      this.unsaved = new Map([...rows, ...this.unsaved]);
      throw error;
    }
  }
}

/** What two polls of a survey in one tick came to. */
function inOne(before: PollResult | undefined, result: PollResult | undefined): PollResult | undefined {
  if (before === undefined || result === undefined) return result ?? before;
  return {
    ...result,
    counts: addCounts({ ...result.counts }, before.counts),
    closedNow: before.closedNow || result.closedNow,
  };
}

/** The request for a poll, but for its ports and its work. */
function requestFor(
  { request, account, learned, now }: PollsOptions,
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

function tell(ports: Ports, { surveyId }: ListedSurvey, error: unknown): void {
  ports.observe({ kind: "survey failed", surveyId, ...failureOf(error) });
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
