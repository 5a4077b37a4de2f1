import pLimit from "p-limit";
import type { Allowance } from "../context.ts";
import { endsWork, failureOf, isInterrupted } from "../errors.ts";
import type { RoleHolder } from "../lease.ts";
import type { AccountState, SurveyRow } from "../model/account.ts";
import type { BreakerWatch } from "../model/breaker.ts";
import { later } from "../model/dates.ts";
import type { PollingSource } from "../model/source.ts";
import type { Ports } from "../ports.ts";
import type { Presence } from "../routes/first-pass.ts";
import type { BackgroundKind } from "../survey/background.ts";
import { type PollRequest, type PollResult, pollSurvey } from "../survey/poll-survey.ts";
import type { BackgroundSurvey, DueSurvey } from "./due.ts";
import type { Meter } from "./meter.ts";
import type { ListedSurvey } from "./survey-list.ts";
import { nextRow } from "./survey-row.ts";
import type { TickRequest } from "./tick-request.ts";
import type { SurveyOutcome } from "./tick-summary.ts";

/** Share of the interval, and milliseconds at least and at most, for which a tick catches up before it leaves the rest to `workOffBacklogs`. */
const OWN_SHARE = 0.25;
const LEAST_OWN_TIME = 1_000;
const MOST_OWN_TIME = 5_000;
/**
 * Polled surveys, and milliseconds, after which their rows are saved, should the tick not come to its end. A write costs as much as all rows of the item that it
 * changes. With news in ten thousand surveys in any order, each save touches all items.
 */
const ROWS_AT_ONCE = 25;
const ROWS_EVERY = 10_000;
/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;

/** The outcome of the polls of one tick. */
export interface Polled {
  outcomes: Map<number, SurveyOutcome>;
  /** Largest credible date that was read of two surveys at least: that of one alone may be wrong, and would lose responses of the others. */
  newest: string | undefined;
  shortPageEnds: boolean | undefined;
}

/** The requests that slow work may spend. `passAhead` are those by which full passes have had more than all else. The kind that has had less goes first. */
export interface Purse {
  budget: number;
  passAhead: number;
  meter: Meter;
}

/** How far one kind of slow work may get ahead of the other while that has nothing to do. */
const MOST_AHEAD = 100;

/** The polls of one tick. */
export interface Polls {
  /** Polls the surveys that are due for news, many at once. */
  pollNews(due: DueSurvey[]): Promise<void>;
  /** Spends up to `budget` requests; gives what is left of it, less than nothing when the last work took more. */
  doBackground(
    due: (kind: BackgroundKind) => BackgroundSurvey[],
    purse: Purse,
  ): Promise<Omit<Purse, "budget" | "meter"> & { left: number }>;
  done(): Polled;
}

/** The facts that are the same for all polls of a tick. */
interface Tick {
  /** The tick's own lease: a tick that has lost it begins no further poll. */
  holder: RoleHolder;
  request: TickRequest;
  account: AccountState;
  watch: BreakerWatch;
  /** Epoch milliseconds at which it began. */
  now: number;
  isFirst: boolean;
}

/** The state that the polls of a tick change as they go on. */
interface Progress {
  outcomes: Map<number, SurveyOutcome>;
  /** Rows that are not saved yet; and when, in epoch milliseconds, the last ones were. */
  rows: Map<number, SurveyRow>;
  savedAt: number;
  /** Whether something has failed that concerns the whole source. */
  stopped: boolean;
  /** Largest credible date read, by survey id. */
  newest: Map<number, string>;
  shortPageEnds: boolean | undefined;
}

type How = Pick<PollRequest, "head" | "seek" | "background">;

/** Polls surveys, each on its own: a failure in one does not touch the others. */
export function createPolls(
  request: TickRequest,
  account: AccountState,
  watch: BreakerWatch,
  { now, isFirst, holder }: Pick<Tick, "now" | "isFirst" | "holder">,
): Polls {
  const tick: Tick = { holder, request, account, watch, now, isFirst };
  const progress: Progress = {
    outcomes: new Map(),
    rows: new Map(),
    savedAt: now,
    stopped: false,
    newest: new Map(),
    shortPageEnds: account.shortPageEnds,
  };
  const { outcomes, newest } = progress;
  const pollOne = (survey: ListedSurvey, how: How): Promise<void> => poll(tick, progress, survey, how);
  return {
    async pollNews(due) {
      // A survey with little news mostly has one request in flight. With more of them a slow service would bring none to its end in time.
      const limit = pLimit(request.source.concurrency);
      await Promise.all(due.map(({ seek, head, ...survey }) => limit(pollOne, survey, { head, seek })));
      await saveRows(request.ports, progress);
    },
    async doBackground(due, { budget, passAhead, meter }) {
      const before = meter.pages;
      let spent = 0;
      const allowance: Allowance = {
        left: () => budget - spent - (meter.pages - before),
        spend: (requests) => {
          spent += requests;
        },
      };
      let ahead = passAhead;
      const kinds: BackgroundKind[] = passAhead > 0 ? ["rest", "pass"] : ["pass", "rest"];
      for (const kind of kinds) {
        const had = allowance.left();
        for (const { fullPoll, ...survey } of due(kind)) {
          if (allowance.left() <= 0) break;
          // A survey that has just failed altogether, or that another process polls, is left alone.
          const outcome = outcomes.get(survey.surveyId);
          if (outcome !== undefined && outcome.result?.kind !== "polled") continue;
          // Slow work is done once there is nothing to catch up.
          if (outcome?.result?.kind === "polled" && outcome.result.counts.unfinished) continue;
          await pollOne(survey, { head: false, background: { allowance, kind, fullPoll } });
        }
        ahead += (kind === "pass" ? 1 : -1) * (had - allowance.left());
      }
      await saveRows(request.ports, progress);
      return { left: allowance.left(), passAhead: Math.max(-MOST_AHEAD, Math.min(MOST_AHEAD, ahead)) };
    },
    done: () => ({
      outcomes,
      newest: [...newest.values()].sort().at(-2),
      shortPageEnds: progress.shortPageEnds,
    }),
  };
}

async function poll(tick: Tick, progress: Progress, survey: ListedSurvey, how: How): Promise<void> {
  const { request } = tick;
  const { ports } = request;
  if (progress.stopped || tick.holder.lost !== undefined || ports.clock.now() > request.deadline) return;
  let hasWaiting = false;
  const observe: Ports["observe"] = (event) => {
    hasWaiting ||= event.kind === "waiting";
    ports.observe(event);
  };
  try {
    const result = await pollSurvey({ ...requestFor(tick, progress, survey), ports: { ...ports, observe }, ...how });
    if (enter(tick, progress, survey, result, how) === "failed") stayDue(tick, progress, survey, hasWaiting);
  } catch (error) {
    stayDue(tick, progress, survey, hasWaiting);
    progress.stopped ||= endsWork(error);
    // The time was up: it is no failure, and the next tick goes on with it.
    if (isInterrupted(error)) return;
    progress.outcomes.set(survey.surveyId, { error });
    tell(ports, survey, error);
  }
  // A failure from here on is saved with the others at the end.
  if (progress.rows.size >= ROWS_AT_ONCE && ports.clock.now() >= progress.savedAt + ROWS_EVERY) {
    await saveRows(ports, progress).catch(() => undefined);
  }
}

/** The request for a poll, but for its ports and its work. */
function requestFor(
  { request, account, watch, now, isFirst }: Tick,
  progress: Progress,
  survey: ListedSurvey,
): Omit<PollRequest, "ports" | keyof How> {
  const { source, owner, deadline, ownTime = ownTimeOf(source) } = request;
  const shown = survey.counts.filter((count) => count !== null);
  // While "now" is still looked for, as in the first tick of a source, a response that a tick has no time for may be taken for new.
  const isWhole = isFirst && source.startFrom === "now";
  return {
    source,
    surveyId: survey.surveyId,
    owner,
    deadline,
    streamUntil: isWhole ? deadline : Math.min(deadline, now + ownTime),
    presence: presenceOf(survey, account, now),
    listed: survey.facts === undefined ? undefined : { facts: survey.facts, at: now },
    sourceFloor: account.sourceFloor,
    firstTick: isFirst ? undefined : account.firstTick,
    listedCount: shown.length === 0 ? undefined : Math.max(...shown),
    shortPageEnds: progress.shortPageEnds,
    watch,
  };
}

/** Takes in what a poll came to; "failed" where the survey is to stay as due as it was. */
function enter(
  { request, account, now }: Tick,
  progress: Progress,
  survey: ListedSurvey,
  result: PollResult,
  how: How,
): "done" | "failed" {
  const { ports } = request;
  const { outcomes, newest } = progress;
  const row = account.rows.get(survey.surveyId);
  const earlier = outcomes.get(survey.surveyId)?.error;
  const failure = result.kind === "polled" ? result.failure : undefined;
  outcomes.set(survey.surveyId, { result, error: earlier ?? failure });
  if (failure !== undefined && earlier === undefined) tell(ports, survey, failure);
  if (result.kind !== "polled") return "done";
  const seen = later(newest.get(survey.surveyId), result.newestSeen);
  if (seen !== undefined) newest.set(survey.surveyId, seen);
  // Contradicted once is contradicted for good.
  if (progress.shortPageEnds !== false) progress.shortPageEnds = result.shortPageEnds ?? progress.shortPageEnds;
  // All but what was left is done, so slow work may follow. As long as something is left the survey is as due as it was.
  if (earlier !== undefined || (failure !== undefined && result.counts.left > 0)) return "failed";
  const next = nextRow(survey, row, result, {
    now: ports.clock.now(),
    slow: how.background?.kind,
    tickAt: now,
    listedAt: account.listedAt,
  });
  progress.rows.set(survey.surveyId, next);
  account.rows.set(survey.surveyId, next);
  return "done";
}

/** Slow work on others goes first all the same. The next tick asks for what the poll has made wait before it failed. */
function stayDue(
  { request, account }: Tick,
  progress: Progress,
  { surveyId }: ListedSurvey,
  hasWaiting: boolean,
): void {
  const row = account.rows.get(surveyId);
  const now = request.ports.clock.now();
  const dueAt = Math.min(row?.dueAt ?? now, now);
  const worked = { workedAt: now, passedAt: now, restedAt: now };
  if (row !== undefined) progress.rows.set(surveyId, { ...row, ...worked, ...(hasWaiting ? { dueAt } : {}) });
}

function tell(ports: Ports, { surveyId }: ListedSurvey, error: unknown): void {
  ports.observe({ kind: "survey failed", surveyId, ...failureOf(error) });
}

async function saveRows(ports: Ports, progress: Progress): Promise<void> {
  const { rows } = progress;
  progress.rows = new Map();
  progress.savedAt = ports.clock.now();
  if (rows.size === 0) return;
  try {
    await ports.state.saveRows(rows);
  } catch (error) {
    progress.rows = new Map([...rows, ...progress.rows]);
    throw error;
  }
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf({ created }: ListedSurvey, account: AccountState, now: number): Presence {
  const isLater = created !== undefined && created > (account.firstTick ?? now) && created <= now + FURTHEST_AHEAD;
  return isLater ? "later" : "present";
}

function ownTimeOf({ interval }: Pick<PollingSource, "interval">): number {
  return Math.max(LEAST_OWN_TIME, Math.min(MOST_OWN_TIME, interval * OWN_SHARE));
}
