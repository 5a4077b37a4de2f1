import pLimit from "p-limit";
import { errorCode } from "../../errors.ts";
import type { Allowance, PollingSource } from "../context.ts";
import { concernsWholeSource, failureOf, SurveyListUnreadableError } from "../errors.ts";
import { later } from "../model/dates.ts";
import type { AccountState, CountEvidence, SurveyRow } from "../model/state-types.ts";
import type { Ports } from "../ports.ts";
import { type OutageWatch, runningOutages, seenOutages, watchOutages } from "../publish/outage-watch.ts";
import type { Presence } from "../routes/first-pass.ts";
import { checkOwnState } from "../survey/own-state.ts";
import { pausedTick, pauseOf } from "../survey/paused.ts";
import { type PollRequest, pollSurvey } from "../survey/poll-survey.ts";
import { learnCounts } from "./count-evidence.ts";
import {
  type BackgroundSurvey,
  backgroundSurveys,
  type DueBy,
  dueSurveys,
  type ListedSurvey,
  readSurveyList,
  selected,
} from "./due.ts";
import { type Meter, metered, newMeter } from "./meter.ts";
import { nextRow } from "./survey-row.ts";
import { figuresOf } from "./tick-figures.ts";
import { type SurveyOutcome, summarize, type TickSummary } from "./tick-summary.ts";

export interface TickRequest {
  ports: Ports;
  source: PollingSource;
  /** Names whoever runs this tick: the holder of its leases. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
  /** Fingerprint of the service's base URL: the state of one service is not used for another. */
  service: string;
  /** Milliseconds in which a tick catches up by itself before it leaves the rest to slices. */
  ownTime?: number;
}

/** Share of the interval, and milliseconds at least and at most, in which a tick catches up by itself before it leaves the rest to others. */
const OWN_SHARE = 0.25;
const LEAST_OWN_TIME = 1_000;
const MOST_OWN_TIME = 5_000;
/** Surveys polled at once, at least: with a small concurrency they wait for each other's requests, and not for the table too. */
const LEAST_AT_ONCE = 4;
/**
 * Polled surveys, and milliseconds, after which their rows are saved, should the tick not come to its end. A write costs as much as all rows
 * of the item that it changes: of ten thousand surveys with news in any order each save touches all items.
 */
const ROWS_AT_ONCE = 25;
const ROWS_EVERY = 10_000;
/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;
/** Share of the requests made for news that slow work may make on top of its own budget. */
const EARNED_BY_NEWS = 0.2;

/** One scheduled run over a source: one look at the survey list, then a poll of each survey that is due. */
export async function tick(request: TickRequest): Promise<TickSummary> {
  const { source, service } = request;
  const { state, observe, clock } = request.ports;
  const account = await state.account();
  checkOwnState(account, request);
  const pausedUntil = pauseOf(request, account);
  if (pausedUntil !== undefined) return pausedTick(request, pausedUntil);
  const meter = newMeter();
  const { backlog } = request.ports;
  const ports: Ports = {
    ...request.ports,
    service: metered(request.ports.service, meter),
    ...(backlog === undefined ? {} : { backlog: metered(backlog, meter) }),
  };
  const { listed, unreadable, failure } = await surveysOf(ports, source, account);
  const now = clock.now();
  const isFirst = await beginsHistory(request, account, now);
  const by: DueBy = { now, fullPollEvery: source.fullPoll.every, counts: account.counts };
  const due = dueSurveys(listed, account.rows, by);
  observe({ kind: "surveys", listed: listed.filter(({ isGone }) => isGone !== true).length, due: due.length });

  const watch = watchOutages(account.outages);
  const work = startWork({ ...request, ports }, account, watch, { now, isFirst });
  const beforeNews = meter.all;
  await work.pollNews(due);
  const earned = (meter.all - beforeNews) * EARNED_BY_NEWS;
  const budget = source.backgroundRequests + earned - (account.overdrawn ?? 0);
  const left = await work.doBackground(backgroundSurveys(listed, account.rows, by), budget, meter);

  const { outcomes, catchingUp, newest, shortPageEnds, counts } = work.done();
  const overdrawn = Math.max(0, -left);
  await state.saveAccount({
    service,
    lastTick: clock.now(),
    ...(failure === undefined ? { listedAt: now } : {}),
    ...seenOutages(watch),
    // A slice beside this tick may have seen the contrary of what it began with.
    ...(shortPageEnds === account.shortPageEnds ? {} : { shortPageEnds }),
    ...(counts === undefined ? {} : { counts }),
    ...(catchingUp === (account.catchingUp ?? 0) ? {} : { catchingUp }),
    ...(overdrawn === 0 && account.overdrawn === undefined ? {} : { overdrawn }),
    // Of no later tick: what that reads may be newer than what was missed meanwhile.
    ...(isFirst && newest !== undefined ? { sourceFloor: newest } : {}),
  });
  if (failure !== undefined) throw failure;
  for (const { error } of outcomes.values()) if (error !== undefined && concernsWholeSource(error)) throw error;
  return {
    source: source.name,
    listed: listed.length,
    ...(unreadable === 0 ? {} : { unreadableSurveys: unreadable }),
    surveys: [...outcomes].map(([surveyId, outcome]) => summarize(surveyId, outcome)),
    unpolled: due.filter(({ surveyId }) => !outcomes.has(surveyId)).length,
    outages: runningOutages(watch, source.enrich),
    figures: figuresOf({
      rows: account.rows,
      polled: [...outcomes.values()].flatMap(({ result }) => (result?.kind === "polled" ? [result] : [])),
      failures: [...outcomes.values()].flatMap(({ error }) => (error === undefined ? [] : [errorCode(error)])),
      account: { overdrawn },
      now: clock.now(),
      fullPollEvery: source.fullPoll.every,
    }),
  };
}

/**
 * Whether this is the source's first tick. That is stored at once: neither a crash in it nor a tick beside it may move
 * the beginning of history, and nobody can tell later what it has polled.
 */
async function beginsHistory({ ports, service }: TickRequest, account: AccountState, now: number): Promise<boolean> {
  if (account.firstTick !== undefined) return false;
  await ports.state.saveAccount({ service, firstTick: now });
  // Another one may have been the first by a moment.
  account.firstTick = (await ports.state.account()).firstTick ?? now;
  return account.firstTick === now;
}

/** The surveys to care about. When the list fails or is empty, those known so far, whose counts have not moved then. */
async function surveysOf(
  ports: Ports,
  source: PollingSource,
  account: AccountState,
): Promise<{ listed: ListedSurvey[]; unreadable: number; failure?: unknown }> {
  const known = [...account.rows]
    .filter(([surveyId]) => selected(surveyId, source.surveys))
    .map(([surveyId, { counts }]): ListedSurvey => ({ surveyId, counts, created: undefined }));
  try {
    const { surveys, unreadable } = readSurveyList(await ports.service.surveys());
    if (unreadable > 0) ports.observe({ kind: "unreadable surveys", count: unreadable });
    if (surveys.length === 0 && unreadable > 0) throw noneReadable(unreadable);
    if (surveys.length === 0) return { listed: known, unreadable };
    const ids = new Set(surveys.map(({ surveyId }) => surveyId));
    const missing = known.filter(({ surveyId }) => !ids.has(surveyId));
    const here = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    return { listed: [...here, ...missing.map((survey) => notNamed(survey, missing.length, unreadable))], unreadable };
  } catch (error) {
    if (concernsWholeSource(error) || known.length === 0) throw error;
    ports.observe({ kind: "list failed", ...failureOf(error) });
    return { listed: known, unreadable: 0, failure: error };
  }
}

/**
 * A known survey that the list does not name: it is gone, unless it is one of the rows without an id. Where it may well be, it is polled as one
 * without counts is; where many more are missing than such rows are there, as one whose counts have not moved, since most of them are gone.
 */
function notNamed(survey: ListedSurvey, missing: number, unreadable: number): ListedSurvey {
  if (unreadable === 0) return { ...survey, isGone: true };
  return missing <= unreadable ? { ...survey, counts: survey.counts.map(() => null) } : survey;
}

function noneReadable(rows: number): SurveyListUnreadableError {
  return new SurveyListUnreadableError(`none of the ${rows} rows of the survey list has a surveyId that can be read`, {
    retryable: true,
    hint: "The surveys known so far are polled all the same; ask the service's operator what has become of surveyId.",
  });
}

interface Done {
  outcomes: Map<number, SurveyOutcome>;
  catchingUp: number;
  /** Largest credible date that was read of two surveys at least: that of one alone may be wrong, and would lose what the others had. */
  newest: string | undefined;
  shortPageEnds: boolean | undefined;
  counts: CountEvidence[] | undefined;
}

/** Polls surveys, each on its own: what fails in one does not touch the others. */
function startWork(
  request: TickRequest,
  account: AccountState,
  watch: OutageWatch,
  { now, isFirst }: { now: number; isFirst: boolean },
) {
  const { ports, source } = request;
  const outcomes = new Map<number, SurveyOutcome>();
  let rows = new Map<number, SurveyRow>();
  let savedAt = now;
  let stopped = false;
  /** By survey id. */
  const newest = new Map<number, string>();
  let { shortPageEnds, counts } = account;

  const nextTick = now + source.interval;
  /** Surveys polled so far whose catch-up goes on. */
  const catchingUp = new Set<number>();
  const { ownTime = ownTimeOf(source) } = request;
  // Where "now" is still looked for, as in the first tick of a source, what a tick has no time for may be taken for new.
  const isWhole = ports.slices === undefined || (isFirst && source.startFrom === "now");
  const streamUntil = isWhole ? request.deadline : Math.min(request.deadline, now + ownTime);

  const saveRows = async (): Promise<void> => {
    const saved = rows;
    rows = new Map();
    savedAt = ports.clock.now();
    if (saved.size === 0) return;
    try {
      await ports.state.saveRows(saved);
    } catch (error) {
      rows = new Map([...saved, ...rows]);
      throw error;
    }
  };

  /** But slow work on others goes first. What the poll has made wait before it failed, the next tick asks for. */
  const stayDue = ({ surveyId }: ListedSurvey, row: SurveyRow | undefined, hasWaiting: boolean): void => {
    const now = ports.clock.now();
    const dueAt = Math.min(row?.dueAt ?? now, now);
    if (row !== undefined) rows.set(surveyId, { ...row, workedAt: now, ...(hasWaiting ? { dueAt } : {}) });
  };
  const tell = ({ surveyId }: ListedSurvey, error: unknown): void =>
    ports.observe({ kind: "survey failed", surveyId, ...failureOf(error) });

  const poll = async (survey: ListedSurvey, how: Pick<PollRequest, "head" | "background">): Promise<void> => {
    if (stopped || ports.clock.now() > request.deadline) return;
    const row = account.rows.get(survey.surveyId);
    const shown = survey.counts.filter((count) => count !== null);
    let hasWaiting = false;
    const observe: Ports["observe"] = (event) => {
      hasWaiting ||= event.kind === "waiting";
      ports.observe(event);
    };
    try {
      const result = await pollSurvey({
        ports: { ...ports, observe },
        source,
        surveyId: survey.surveyId,
        owner: request.owner,
        deadline: request.deadline,
        streamUntil,
        nextTick,
        catchingUp: Math.max(account.catchingUp ?? 0, catchingUp.size),
        presence: presenceOf(survey, account, now),
        sourceFloor: account.sourceFloor,
        firstTick: isFirst ? undefined : account.firstTick,
        listedCount: shown.length === 0 ? undefined : Math.max(...shown),
        shortPageEnds,
        watch,
        ...how,
      });
      const earlier = outcomes.get(survey.surveyId)?.error;
      const failure = result.kind === "polled" ? result.failure : undefined;
      outcomes.set(survey.surveyId, { result, error: earlier ?? failure });
      if (failure !== undefined && earlier === undefined) tell(survey, failure);
      if (result.kind !== "polled") return;
      if (result.counts.unfinished) catchingUp.add(survey.surveyId);
      const seen = later(newest.get(survey.surveyId), result.newestSeen);
      if (seen !== undefined) newest.set(survey.surveyId, seen);
      // Contradicted once is contradicted for good.
      if (shortPageEnds !== false) shortPageEnds = result.shortPageEnds ?? shortPageEnds;
      // All but what has failed is done, so slow work may follow; but as long as something fails the survey is as due as it was.
      if (earlier !== undefined || failure !== undefined) return stayDue(survey, row, hasWaiting);
      const next = nextRow(survey, row, result, {
        now: ports.clock.now(),
        slow: !how.head,
        tickAt: now,
        listedAt: account.listedAt,
      });
      if (result.headRead && !result.resumed) counts = learnCounts(counts, survey.counts, row, result.counts.found);
      rows.set(survey.surveyId, next);
      account.rows.set(survey.surveyId, next);
    } catch (error) {
      outcomes.set(survey.surveyId, { error });
      stayDue(survey, row, hasWaiting);
      stopped ||= concernsWholeSource(error);
      tell(survey, error);
    }
    // What fails now is saved with the others at the end.
    if (rows.size >= ROWS_AT_ONCE && ports.clock.now() >= savedAt + ROWS_EVERY) await saveRows().catch(() => undefined);
  };

  return {
    async pollNews(due: ListedSurvey[]): Promise<void> {
      // One with little news has one request in flight at most times.
      const limit = pLimit(Math.max(LEAST_AT_ONCE, source.concurrency));
      await Promise.all(due.map((survey) => limit(poll, survey, { head: true })));
      await saveRows();
    },
    /** Spends up to `budget` requests; gives what is left of it, less than nothing when the last work took more. */
    async doBackground(due: BackgroundSurvey[], budget: number, meter: Meter): Promise<number> {
      const before = meter.pages;
      let spent = 0;
      const allowance: Allowance = {
        left: () => budget - spent - (meter.pages - before),
        spend: (requests) => {
          spent += requests;
        },
      };
      for (const { fullPoll, seek, ...survey } of due) {
        if (allowance.left() <= 0) break;
        // What has just failed altogether, or is being polled by someone else, is left alone.
        const outcome = outcomes.get(survey.surveyId);
        if (outcome !== undefined && outcome.result?.kind !== "polled") continue;
        // Slow work is done once there is nothing to catch up.
        if (outcome?.result?.kind === "polled" && outcome.result.counts.unfinished) continue;
        await poll(survey, { head: false, background: { allowance, fullPoll, seek } });
      }
      await saveRows();
      return allowance.left();
    },
    done: (): Done => ({
      outcomes,
      catchingUp: catchingUp.size,
      newest: [...newest.values()].sort().at(-2),
      shortPageEnds,
      counts,
    }),
  };
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf({ created }: ListedSurvey, account: AccountState, now: number): Presence {
  const isLater = created !== undefined && created > (account.firstTick ?? now) && created <= now + FURTHEST_AHEAD;
  return isLater ? "later" : "present";
}

function ownTimeOf({ interval }: Pick<PollingSource, "interval">): number {
  return Math.max(LEAST_OWN_TIME, Math.min(MOST_OWN_TIME, interval * OWN_SHARE));
}
