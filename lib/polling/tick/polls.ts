import pLimit from "p-limit";
import { failureOf } from "../errors.ts";
import type { RoleHolder } from "../lease.ts";
import type { RestDue, RestKind, SurveyRow } from "../model/account.ts";
import { addCounts } from "../model/poll-counts.ts";
import type { PollingSource } from "../model/source.ts";
import { type PollRequest, pollSurvey, type SurveyOutcome } from "../poll-survey.ts";
import type { Ports, SurveyService } from "../ports.ts";
import type { Budget } from "../survey.ts";
import type { ListedSurvey } from "../survey-list.ts";
import type { DueTasks } from "./schedule.ts";
import { type Round, requestFor } from "./tick-request.ts";

/** Share of the interval, and milliseconds at least, for which a tick works off backlogs and looks below the head, and then once more does other work. What is left of it is for `workOffBacklogs`, or for later ticks. */
const OWN_SHARE = 0.5;
const LEAST_OWN_TIME = 1_000;
/** Milliseconds after which rows are saved, should the tick not come to its end. A write costs as much as all rows of the item that it changes. */
const ROWS_EVERY = 10_000;
const NEVER: RestDue[keyof RestDue] = { at: Number.POSITIVE_INFINITY, every: 1, triedAt: 0 };

/** The row of a survey of which no poll has come to its end. */
const UNPOLLED: SurveyRow = {
  counts: [null, null, null],
  ...{ dueAt: 0, polledAt: 0, workedAt: 0 },
  rest: { recheck: NEVER, rescan: NEVER, "full read": NEVER },
};

/** The polls of one tick: what each came to, and the rows that follow from that. */
export class Polls {
  readonly outcomes = new Map<number, SurveyOutcome>();
  /** What has ended the tick's work: it concerns the whole source, or the time is up. */
  ended: unknown;
  private readonly round: Round;
  /** The tick's own lease: a tick that has lost it begins no further poll. */
  private readonly holder: RoleHolder;
  /** Rows that are not saved yet; and when, in epoch milliseconds, the last ones were. */
  private unsaved = new Map<number, SurveyRow>();
  private savedAt: number;

  constructor(round: Round, holder: RoleHolder) {
    this.round = round;
    this.holder = holder;
    this.savedAt = round.listedAt;
  }

  /** Polls the surveys that are due for news, many at once. A failure in one does not touch the others. */
  async pollNews(due: DueTasks["news"]): Promise<void> {
    const { source, deadline, ownTime = ownTimeOf(source) } = this.round.request;
    // A survey with little news mostly has one request in flight. With more of them a slow service would bring none to its end in time.
    const limit = pLimit(source.concurrency);
    const turnUntil = Math.min(deadline, this.round.listedAt + ownTime);
    await Promise.all(due.map((survey) => limit(() => this.poll(survey, turnUntil))));
    await this.saveRows();
  }

  /** Does other work for up to `most` requests; gives what is left of them, less than nothing when the last work took more. */
  async doRest(due: DueTasks["rest"], most: number): Promise<number> {
    // fault: no-budget
    const budget: Budget = { left: most };
    const { source, deadline, ports } = this.round.request;
    // News wait for the tick to come to its end.
    const turnUntil = Math.min(deadline, ports.clock.now() + ownTimeOf(source));
    for (const { kind, overdue: _, ...survey } of due) {
      if (budget.left <= 0 || ports.clock.now() > turnUntil) break;
      // A survey that has just failed altogether, that another process polls, or that has a backlog, is left alone.
      const outcome = this.outcomes.get(survey.surveyId);
      if (outcome !== undefined && outcome.result?.counts.unfinished !== false) continue;
      await this.poll(survey, turnUntil, { kind, budget });
    }
    await this.saveRows();
    return budget.left;
  }

  private async poll(survey: ListedSurvey, turnUntil: number, rest?: PollRequest["rest"]): Promise<void> {
    const { deadline, ports } = this.round.request;
    const { clock } = ports;
    if (this.ended !== undefined || this.holder.lease.lost !== undefined || clock.now() > deadline) return;
    const { surveyId } = survey;
    try {
      const outcome = await pollSurvey({ ...requestFor(this.round, survey), turnUntil, rest });
      this.enter(surveyId, outcome, rest?.kind);
    } catch (error) {
      this.ended ??= error;
      this.stayDue(surveyId, rest?.kind);
    }
    // A failure from here on is saved with the others at the end.
    if (clock.now() >= this.savedAt + ROWS_EVERY) await this.saveRows().catch(() => undefined);
  }

  private enter(surveyId: number, outcome: SurveyOutcome, kind: RestKind | undefined): void {
    const before = this.outcomes.get(surveyId);
    this.outcomes.set(surveyId, before === undefined ? outcome : inOne(before, outcome));
    const { result, error } = outcome;
    if (error !== undefined && before?.error === undefined) tellFailed(this.round.request.ports, surveyId, error);
    // All but what was left is done, so slow work may follow. As long as something is left the survey is as due as it was.
    const isLeft = before?.error !== undefined || (error !== undefined && result?.counts.left !== 0);
    if (result === undefined || isLeft) this.stayDue(surveyId, kind, error ?? before?.error);
    else this.take(surveyId, result.row);
  }

  /**
   * A poll that has not come to its end leaves its survey as due as it was, and for what it may have made wait it is due at once. An attempt counts as work done, so
   * other work goes first.
   */
  private stayDue(surveyId: number, kind: RestKind | undefined, failure?: unknown): void {
    const now = this.round.request.ports.clock.now();
    const row = this.round.account.rows.get(surveyId) ?? UNPOLLED;
    const tried = kind === undefined ? {} : { [kind]: { ...row.rest[kind], triedAt: now } };
    this.take(surveyId, {
      ...row,
      rest: { ...row.rest, ...tried },
      workedAt: now,
      dueAt: Math.min(row.dueAt ?? now, now),
      ...(failure === undefined ? {} : { failingSince: row.failingSince ?? now }),
    });
  }

  private take(surveyId: number, row: SurveyRow): void {
    this.unsaved.set(surveyId, row);
    this.round.account.rows.set(surveyId, row);
  }

  private async saveRows(): Promise<void> {
    const { state, clock } = this.round.request.ports;
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

export function tellFailed({ observe }: Pick<Ports, "observe">, surveyId: number, error: unknown): void {
  observe({ kind: "survey failed", surveyId, ...failureOf(error) });
}

/** What two polls of a survey in one tick came to. */
function inOne(before: SurveyOutcome, { result, error }: SurveyOutcome): SurveyOutcome {
  const failure = before.error ?? error;
  if (before.result === undefined || result === undefined) return { result: result ?? before.result, error: failure };
  const { counts, closedNow } = before.result;
  const both = { counts: addCounts(counts, result.counts), closedNow: closedNow || result.closedNow };
  return { result: { ...result, ...both }, error: failure };
}

function ownTimeOf({ interval }: Pick<PollingSource, "interval">): number {
  return Math.max(LEAST_OWN_TIME, interval * OWN_SHARE);
}

/** The same service; `count` is called at each request. */
export function counted(service: SurveyService, count: () => void): SurveyService {
  const calls = Object.entries(service).map(([name, call]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => {
      count();
      return call(...args);
    },
  ]);
  return Object.fromEntries(calls) as SurveyService;
}
