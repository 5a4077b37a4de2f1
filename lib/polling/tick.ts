import pLimit from "p-limit";
import { errorCode } from "../errors.ts";
import type { Allowance, PollingSource } from "./context.ts";
import { learnCounts } from "./counts.ts";
import { later } from "./dates.ts";
import {
  type BackgroundSurvey,
  backgroundSurveys,
  type DueBy,
  dueSurveys,
  type ListedSurvey,
  readSurveyList,
  selected,
} from "./due.ts";
import { concernsWholeSource, failureOf, StateRefusedError } from "./errors.ts";
import type { Presence } from "./first-pass.ts";
import { type Meter, metered } from "./meter.ts";
import { type OutageWatch, runningOutages, seenOutages, watchOutages } from "./outage-watch.ts";
import { pausedTick } from "./paused.ts";
import { type PollRequest, pollSurvey } from "./poll-survey.ts";
import type { Ports } from "./ports.ts";
import type { AccountState, CountEvidence, SurveyRow } from "./state-types.ts";
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
}

/** Surveys polled at once: each keeps some requests in flight of its own. */
const SURVEYS_AT_ONCE = 4;
/** Polled surveys after which their rows are saved, should the tick not come to its end. */
const ROWS_AT_ONCE = 25;
/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;
/** Share of the requests made for news that slow work may make on top of its own budget. */
const EARNED_BY_NEWS = 0.2;

/** One scheduled run over a source: one look at the survey list, then a poll of each survey that is due. */
export async function tick(request: TickRequest): Promise<TickSummary> {
  const { source, service } = request;
  const { state, observe, clock } = request.ports;
  const account = await state.account();
  if (account.service !== undefined && account.service !== service) {
    throw new StateRefusedError(`the state of source "${source.name}" belongs to another survey service`, {
      hint: "Give the new service a source name of its own, or put the old `baseUrl` back.",
    });
  }
  const paused = pausedTick(request, account);
  if (paused !== undefined) return paused;
  const { service: counting, meter } = metered(request.ports.service);
  const ports = { ...request.ports, service: counting };
  const { listed, failure } = await surveysOf(ports, source, account);
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

  const { outcomes, newest, shortPageEnds, counts } = work.done();
  const overdrawn = Math.max(0, -left);
  await state.saveAccount({
    service,
    lastTick: clock.now(),
    ...seenOutages(watch),
    ...(shortPageEnds === undefined ? {} : { shortPageEnds }),
    ...(counts === undefined ? {} : { counts }),
    ...(overdrawn === 0 && account.overdrawn === undefined ? {} : { overdrawn }),
    // Of no later tick: what that reads may be newer than what was missed meanwhile.
    ...(isFirst && newest !== undefined ? { sourceFloor: newest } : {}),
  });
  if (failure !== undefined) throw failure;
  for (const { error } of outcomes.values()) if (error !== undefined && concernsWholeSource(error)) throw error;
  return {
    source: source.name,
    listed: listed.length,
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
): Promise<{ listed: ListedSurvey[]; failure?: unknown }> {
  const known = [...account.rows]
    .filter(([surveyId]) => selected(surveyId, source.surveys))
    .map(([surveyId, { counts }]): ListedSurvey => ({ surveyId, counts, created: undefined }));
  try {
    const all = readSurveyList(await ports.service.surveys());
    if (all.length === 0) return { listed: known };
    const ids = new Set(all.map(({ surveyId }) => surveyId));
    const gone = known.filter(({ surveyId }) => !ids.has(surveyId)).map((survey) => ({ ...survey, isGone: true }));
    return { listed: [...all.filter(({ surveyId }) => selected(surveyId, source.surveys)), ...gone] };
  } catch (error) {
    if (concernsWholeSource(error) || known.length === 0) throw error;
    ports.observe({ kind: "list failed", ...failureOf(error) });
    return { listed: known, failure: error };
  }
}

interface Done {
  outcomes: Map<number, SurveyOutcome>;
  /** Largest credible date that was read. */
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
  let stopped = false;
  let newest: string | undefined;
  let { shortPageEnds, counts } = account;

  const saveRows = async (): Promise<void> => {
    const saved = rows;
    rows = new Map();
    if (saved.size > 0) await ports.state.saveRows(saved);
  };

  const poll = async (survey: ListedSurvey, how: Pick<PollRequest, "head" | "background">): Promise<void> => {
    if (stopped || ports.clock.now() > request.deadline) return;
    const row = account.rows.get(survey.surveyId);
    const shown = survey.counts.filter((count) => count !== null);
    try {
      const result = await pollSurvey({
        ports,
        source,
        surveyId: survey.surveyId,
        owner: request.owner,
        deadline: request.deadline,
        presence: presenceOf(survey, account, now),
        sourceFloor: account.sourceFloor,
        firstTick: isFirst ? undefined : account.firstTick,
        listedCount: shown.length === 0 ? undefined : Math.max(...shown),
        shortPageEnds,
        watch,
        ...how,
      });
      outcomes.set(survey.surveyId, { result });
      if (result.kind !== "polled") return;
      newest = later(newest, result.newestSeen);
      // Contradicted once is contradicted for good.
      if (shortPageEnds !== false) shortPageEnds = result.shortPageEnds ?? shortPageEnds;
      const next = nextRow(survey, row, result, { now: ports.clock.now(), slow: !how.head });
      if (result.headRead && !result.resumed) counts = learnCounts(counts, survey.counts, row, result.counts.found);
      rows.set(survey.surveyId, next);
      account.rows.set(survey.surveyId, next);
    } catch (error) {
      outcomes.set(survey.surveyId, { error });
      // It stays due, but slow work on others goes first.
      if (row !== undefined) rows.set(survey.surveyId, { ...row, workedAt: ports.clock.now() });
      stopped ||= concernsWholeSource(error);
      ports.observe({ kind: "survey failed", surveyId: survey.surveyId, ...failureOf(error) });
    }
    if (rows.size >= ROWS_AT_ONCE) await saveRows();
  };

  return {
    async pollNews(due: ListedSurvey[]): Promise<void> {
      const limit = pLimit(SURVEYS_AT_ONCE);
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
        // What has just failed, or is being polled by someone else, is left alone.
        const outcome = outcomes.get(survey.surveyId);
        if (outcome !== undefined && outcome.result?.kind !== "polled") continue;
        await poll(survey, { head: false, background: { allowance, fullPoll, seek } });
      }
      await saveRows();
      return allowance.left();
    },
    done: (): Done => ({ outcomes, newest, shortPageEnds, counts }),
  };
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf({ created }: ListedSurvey, account: AccountState, now: number): Presence {
  const isLater = created !== undefined && created > (account.firstTick ?? now) && created <= now + FURTHEST_AHEAD;
  return isLater ? "later" : "present";
}
