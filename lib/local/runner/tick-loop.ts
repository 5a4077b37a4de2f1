import { isAwsFailure } from "../../aws/failure.ts";
import { CommandError } from "../../cli/errors.ts";
import { unlistedText } from "../../cli/target/surveys.ts";
import { errorCode } from "../../errors.ts";
import type { SurveySummary, TickSummary } from "../../polling/index.ts";
import type { PollOutput } from "../../run/poll-sources.ts";
import { pause } from "../pause.ts";
import type { Invoke } from "./function-thread.ts";
import type { ProgressView, Totals } from "./progress.ts";

type Progressed = Pick<Totals, "pages" | "emitted" | "waiting" | "withheld">;

export interface TickLoopOptions {
  invoke: Invoke;
  /** Undefined: until `stop` aborts. */
  ticks: number | undefined;
  /** Milliseconds between the beginnings of two ticks. */
  interval: number;
  stop: AbortSignal;
  view: Pick<ProgressView, "say"> & { totals: Progressed };
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
const FATAL = new Set(["WRONG_CREDENTIALS", "CREDENTIALS_MISSING", "CREDENTIALS_UNREADABLE", "STATE_REFUSED"]);

/** The figures that an invocation has shown at its end. */
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
export async function runTicks({ invoke, ticks, interval, stop, view }: TickLoopOptions): Promise<{ ticks: number }> {
  const atWork = new Set<Promise<void>>();
  /** Lines that were told: each once. */
  const told = new Set<string>();
  let made = 0;
  /** Whether the service was ever reached. */
  let isReached = false;
  let last: Shown = { unfinished: true, pausedUntil: 0 };
  /** After the last tick: those that failed, and those that got nowhere, in a row. */
  let failures = 0;
  let idle = 0;
  /** Why the run cannot go on. */
  let end: { error: unknown } | undefined;

  const dealtWith = (): number => view.totals.emitted + view.totals.waiting + view.totals.withheld;

  async function invokeOnce(): Promise<void> {
    try {
      const output = await invoke({}, stop);
      last = shownBy(output);
      for (const line of output.ticks.flatMap(worthTelling)) {
        if (!told.has(line)) view.say(line);
        told.add(line);
      }
      // One that was left to another invocation has not asked for anything.
      isReached ||= output.ticks.some(({ isBusy }) => isBusy !== true);
    } catch (error) {
      // A service that was there before may come back, and so may a token that another client has made invalid; an AWS
      // service always may. Credentials that are refused do not mend themselves.
      const code = errorCode(error);
      // A first invocation that works off a backlog tells only at its end that it has reached it.
      isReached ||= view.totals.pages > 0;
      const mayPass = isReached || code === "TOO_MANY_REQUESTS" || isAwsFailure(code);
      if (FATAL.has(code) || !mayPass) {
        end ??= { error };
        return;
      }
      last = { failure: error, unfinished: true, pausedUntil: 0 };
      view.say(`tick failed: ${(error as Error).message}; tried again at the next tick`);
    }
  }

  /** Whether the run may end once its last tick is over; when what is left gets nowhere, that is the end as well. */
  function isDone(hasGotOn: boolean): boolean {
    const { failure, unfinished, failed, left } = last;
    if (failure === undefined && !unfinished) return true;
    failures += failure !== undefined || failed !== undefined ? 1 : 0;
    idle = hasGotOn ? 0 : idle + 1;
    if (failures < MOST_FAILURES && idle < MOST_IDLE) return false;
    const hint = "Nothing is lost: the next run goes on where this one stopped.";
    const message = failed ?? left ?? "surveys could not be polled";
    end = { error: failure ?? new CommandError("SURVEYS_FAILED", message, { hint }) };
    return true;
  }

  /** Milliseconds until the next invocation. */
  function waitAfter(started: number, isLast: boolean): number {
    const isAlone = atWork.size === 0;
    const usual = started + Math.max(interval, isAlone ? 0 : LEAST_DISTANCE) - performance.now();
    const pauseLeft = last.pausedUntil - Date.now();
    const waitForPause = isLast && pauseLeft > LONGEST_PAUSE ? 0 : Math.min(pauseLeft, LONGEST_PAUSE);
    return Math.max(0, isLast && isAlone ? FINISHING_PAUSE : usual, waitForPause);
  }

  for (;;) {
    const started = performance.now();
    const before = dealtWith();
    made += 1;
    const invocation = invokeOnce().finally(() => atWork.delete(invocation));
    atWork.add(invocation);
    // One that is over before the next is due is followed by it in its time; beside one that is not the next one begins.
    const isOver = new AbortController();
    await Promise.race([invocation, pause(Math.max(interval, LEAST_DISTANCE), AbortSignal.any([stop, isOver.signal]))]);
    isOver.abort();
    if (end !== undefined || stop.aborted) break;
    const isLast = ticks !== undefined && made >= ticks;
    if (isLast && atWork.size === 0 && isDone(dealtWith() > before)) break;
    await pause(waitAfter(started, isLast), stop);
    if (stop.aborted) break;
  }
  await Promise.all(atWork);
  if (end !== undefined) throw end.error;
  return { ticks: made };
}

function shownBy({ ticks, blocked: [problem] = [] }: PollOutput): Shown {
  // Such a source cannot be polled before somebody has seen to its credentials.
  if (problem !== undefined) throw new CommandError(problem.code, problem.message, { hint: problem.hint });
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

/** Lines about surveys that are to be polled and are not listed, or not as they are counted. */
function worthTelling({ unlisted, surveys }: TickSummary): string[] {
  const tooFew = surveys.flatMap((one) => showsTooFew(one) ?? []);
  const missing = unlisted === undefined ? [] : [unlistedText(unlisted)];
  return [...missing, ...tooFew.map((line) => `${line}; looked at again at the next tick`)];
}

/** The line about a survey whose list does not show what is counted. */
function showsTooFew({ surveyId, booksOpen }: SurveySummary): string | undefined {
  if (booksOpen?.code !== "read-as-empty") return undefined;
  return `survey ${surveyId}: its list shows 0 responses, and the survey list counts more`;
}
