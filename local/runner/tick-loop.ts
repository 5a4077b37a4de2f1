import { isAwsFailure } from "../../lib/aws/failure.ts";
import { errorCode, PollerError } from "../../lib/errors.ts";
import type { SurveySummary } from "../../lib/polling/index.ts";
import type { BlockedSource, PollOutput } from "../../lib/run/poll-sources.ts";
import { pause } from "../pause.ts";
import type { Invoke } from "./environments.ts";
import { createLeadTime } from "./lead-time.ts";
import type { ProgressView, Totals } from "./progress.ts";

type Progressed = Pick<Totals, "pages" | "emitted" | "waiting" | "withheld">;

export interface TickLoopOptions {
  invoke: Invoke;
  /** Undefined: until `stop` aborts. */
  ticks: number | undefined;
  /** Milliseconds within which a new response is to go out: from the start of one tick to the end of the next. */
  interval: number;
  stop: AbortSignal;
  view: Pick<ProgressView, "say"> & { totals: Progressed };
}

export interface TickLoopResult {
  ticks: number;
}

/** Milliseconds between the beginnings of two invocations that overlap, at least. */
const LEAST_DISTANCE = 1_000;
/** Between two ticks made only to bring unfinished work to its end. */
const FINISHING_PAUSE = 1_000;
/** A lease left by a killed process runs out well within so many of these ticks. */
const MOST_IDLE = 60;
/** Milliseconds: no longer pause of the service is waited for after the last tick, nor between two looks whether it is over. */
const LONGEST_PAUSE = 60_000;
/** A survey that fails so often after the last tick is given up. */
const MOST_FAILURES = 5;

/** The run ended with surveys that could not be polled. */
class SurveysFailedError extends PollerError {
  readonly code = "SURVEYS_FAILED";
}

/** A source cannot be polled before somebody has seen to its credentials. */
class SourceBlockedError extends PollerError {
  readonly code: string;
  constructor({ code, message, hint }: BlockedSource) {
    super(message, { hint });
    this.code = code;
  }
}

/** The ticks of a run, as far as they are known. */
interface Course {
  ticks: number;
  /** Whether the service was ever reached. */
  reached: boolean;
  /** The figures that the last invocation that ended has shown. */
  last: Shown;
  /** After the last tick: those that failed, and those that got nowhere, in a row. */
  failures: number;
  idle: number;
  /** Lines about surveys that were told: each once. */
  told: Set<string>;
  /** Why the run cannot go on. */
  fatal: { error: unknown } | undefined;
}

interface Shown {
  /** The error with which the whole tick failed. */
  failure?: unknown;
  unfinished: boolean;
  /** The survey that failed, or the pause that lasts too long. */
  failed?: string | undefined;
  /** A survey with work left, and what is known of why. */
  left?: string | undefined;
  /** Epoch milliseconds: of the service's pause. */
  pausedUntil: number;
}

/**
 * Invokes the function at each interval, as a schedule does: also while an earlier invocation is still at work. After the last tick it goes on until
 * nothing is unfinished.
 */
export async function runTicks(options: TickLoopOptions): Promise<TickLoopResult> {
  const { stop, view, interval } = options;
  const lead = createLeadTime(interval);
  const atWork = new Set<Promise<void>>();
  const course: Course = {
    ticks: 0,
    reached: false,
    last: { unfinished: true, pausedUntil: 0 },
    failures: 0,
    idle: 0,
    told: new Set(),
    fatal: undefined,
  };
  for (;;) {
    const started = performance.now();
    const before = dealtWith(view);
    course.ticks += 1;
    const invocation = invokeOnce(options, course, lead, started).finally(() => atWork.delete(invocation));
    atWork.add(invocation);
    // One that is over before the next is due is followed by it in its time; beside one that is not the next one begins.
    const isOver = new AbortController();
    const longest = Math.max(interval - lead.milliseconds(), LEAST_DISTANCE);
    await Promise.race([invocation, pause(longest, AbortSignal.any([stop, isOver.signal]))]);
    isOver.abort();
    if (course.fatal !== undefined || stop.aborted) break;
    const isLast = options.ticks !== undefined && course.ticks >= options.ticks;
    if (isLast && atWork.size === 0 && isDone(course, dealtWith(view) > before)) break;
    await pause(waitOf(course, { isLast, isAlone: atWork.size === 0, started, interval, lead }), stop);
    if (stop.aborted) break;
  }
  await Promise.all(atWork);
  if (course.fatal !== undefined) throw course.fatal.error;
  return { ticks: course.ticks };
}

async function invokeOnce(
  { invoke, stop, view, interval }: TickLoopOptions,
  course: Course,
  lead: ReturnType<typeof createLeadTime>,
  started: number,
): Promise<void> {
  try {
    const output = await invoke({}, stop);
    course.last = shownBy(output);
    for (const line of output.ticks.flatMap(({ surveys }) => surveys.flatMap((survey) => showsTooFew(survey) ?? []))) {
      if (!course.told.has(line)) view.say(`${line}; looked at again at the next tick`);
      course.told.add(line);
    }
    // One that was left to another invocation has not asked for anything.
    course.reached ||= output.ticks.some(({ isBusy }) => isBusy !== true);
  } catch (error) {
    // A service that was there before may come back, and so may a token that another client has made invalid; an AWS
    // service always may. Credentials that are refused do not mend themselves.
    const code = errorCode(error);
    // A first invocation that works off a backlog tells only at its end that it has reached it.
    course.reached ||= view.totals.pages > 0;
    const mayPass = course.reached || code === "TOO_MANY_REQUESTS" || isAwsFailure(code);
    if (fatal.has(code) || !mayPass) {
      course.fatal ??= { error };
      return;
    }
    course.last = { failure: error, unfinished: true, pausedUntil: 0 };
    view.say(`tick failed: ${(error as Error).message}; tried again at the next tick`);
  }
  const duration = performance.now() - started;
  // One that has worked off a backlog says nothing of how long a tick takes.
  if (duration < interval) lead.took(duration);
}

function shownBy({ ticks, blocked: [problem] = [] }: PollOutput): Shown {
  if (problem !== undefined) throw new SourceBlockedError(problem);
  const shown: Shown = { unfinished: false, pausedUntil: 0 };
  for (const tick of ticks) {
    // A source that an operator has paused is as it should be. It is looked at again at the next tick, and the last tick is the last one.
    const pausedUntil = tick.pausedSince === undefined ? tick.pausedUntil : undefined;
    shown.unfinished ||=
      tick.unpolled > 0 || pausedUntil !== undefined || tick.isBusy === true || tick.awaitsStart === true;
    shown.pausedUntil = Math.max(shown.pausedUntil, pausedUntil ?? 0);
    for (const survey of tick.surveys) {
      shown.unfinished ||= survey.unfinished;
      if (survey.unfinished)
        shown.left =
          showsTooFew(survey) ?? shown.left ?? `survey ${survey.surveyId}: work is left that does not get on`;
      if (survey.outcome === "failed") shown.failed = `survey ${survey.surveyId}: ${survey.failure?.message}`;
    }
  }
  const { pausedUntil } = shown;
  if (pausedUntil - Date.now() > LONGEST_PAUSE) {
    shown.failed ??= `the survey service asks to be left alone until ${new Date(pausedUntil).toISOString()}`;
  }
  return shown;
}

/** The line about a survey whose list does not show what is counted. */
function showsTooFew({ surveyId, showsOnly }: SurveySummary): string | undefined {
  if (showsOnly === undefined) return undefined;
  return `survey ${surveyId}: its list shows ${showsOnly} responses, and the survey list counts more`;
}

/** Whether the run may end once its last tick is over; when what is left gets nowhere, that is the end as well. */
function isDone(course: Course, hasGotOn: boolean): boolean {
  const { failure, unfinished, failed, left } = course.last;
  if (failure === undefined && !unfinished) return true;
  course.failures += failure !== undefined || failed !== undefined ? 1 : 0;
  course.idle = hasGotOn ? 0 : course.idle + 1;
  const told = failed ?? left;
  if (course.failures < MOST_FAILURES && course.idle < MOST_IDLE) return false;
  const hint = "Nothing is lost: the next run goes on where this one stopped.";
  course.fatal = { error: failure ?? new SurveysFailedError(told ?? "surveys could not be polled", { hint }) };
  return true;
}

/** Milliseconds until the next invocation. */
function waitOf(
  { last }: Course,
  {
    isLast,
    isAlone,
    started,
    interval,
    lead,
  }: { isLast: boolean; isAlone: boolean; started: number; interval: number; lead: { milliseconds(): number } },
): number {
  const pauseLeft = last.pausedUntil - Date.now();
  const distance = Math.max(interval - lead.milliseconds(), isAlone ? 0 : LEAST_DISTANCE);
  const usual = Math.max(0, started + distance - performance.now());
  const wait = isLast && isAlone ? FINISHING_PAUSE : usual;
  const waitForPause = isLast && pauseLeft > LONGEST_PAUSE ? 0 : Math.min(pauseLeft, LONGEST_PAUSE);
  return Math.max(wait, waitForPause);
}

function dealtWith({ totals }: { totals: Progressed }): number {
  return totals.emitted + totals.waiting + totals.withheld;
}

const fatal = new Set(["WRONG_CREDENTIALS", "CREDENTIALS_MISSING", "CREDENTIALS_UNREADABLE", "STATE_REFUSED"]);
