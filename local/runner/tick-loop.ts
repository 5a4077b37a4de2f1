import { setTimeout as sleep } from "node:timers/promises";
import { isAwsFailure } from "../../lib/aws/failure.ts";
import { errorCode, PollerError } from "../../lib/errors.ts";
import type { PollInput } from "../../lib/run/poll-input.ts";
import type { BlockedSource, PollOutput } from "../../lib/run/poll-sources.ts";
import { createLeadTime } from "./lead-time.ts";
import type { ProgressView, Totals } from "./progress.ts";

/** The function as Lambda would call it. */
export type PollHandler = (
  input: PollInput,
  context: { awsRequestId: string; getRemainingTimeInMillis(): number },
) => Promise<PollOutput>;

type Progressed = Pick<Totals, "emitted" | "waiting" | "withheld">;

export interface TickLoopOptions {
  handler: PollHandler;
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

/** Lambda's own limit. */
const INVOCATION_TIME = 15 * 60_000;
/** Between two ticks made only to bring unfinished work to its end. */
const FINISHING_PAUSE = 1_000;
/** A lease left by a killed process runs out, and a slice whose message was lost is queued again, well within so many of these ticks. */
const MOST_IDLE = 150;
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

/** Invokes the function tick after tick, then until nothing is unfinished. */
export async function runTicks(options: TickLoopOptions): Promise<TickLoopResult> {
  const { stop, view } = options;
  const result: TickLoopResult = { ticks: 0 };
  let failure: unknown;
  let reached = false;
  let failuresAtEnd = 0;
  let idleAtEnd = 0;
  const lead = createLeadTime(options.interval);

  for (;;) {
    const started = Date.now();
    let unfinished = false;
    const before = dealtWith(view);
    let failed: string | undefined;
    let pausedUntil = 0;
    try {
      const { ticks, blocked: [problem] = [] } = await options.handler({}, context());
      if (problem !== undefined) throw new SourceBlockedError(problem);
      failure = undefined;
      reached = true;
      for (const tick of ticks) {
        unfinished ||= tick.unpolled > 0 || tick.pausedUntil !== undefined;
        pausedUntil = Math.max(pausedUntil, tick.pausedUntil ?? 0);
        for (const survey of tick.surveys) {
          unfinished ||= survey.unfinished;
          if (survey.outcome === "failed") failed = `survey ${survey.surveyId}: ${survey.failure?.message}`;
        }
      }
    } catch (error) {
      // A service that was there before may come back, and so may a token that another client has made invalid; an AWS
      // service always may. Credentials that are refused do not mend themselves.
      const code = errorCode(error);
      const mayPass = reached || code === "TOO_MANY_REQUESTS" || isAwsFailure(code);
      if (fatal.has(code) || !mayPass) throw error;
      failure = error;
      view.say(`tick failed: ${(error as Error).message}; tried again at the next tick`);
    }
    result.ticks += 1;
    const pauseLeft = pausedUntil - Date.now();
    if (pauseLeft > LONGEST_PAUSE) {
      failed ??= `the survey service asks to be left alone until ${new Date(pausedUntil).toISOString()}`;
    }
    if (stop.aborted) return result;
    const lastTick = options.ticks !== undefined && result.ticks >= options.ticks;
    if (lastTick) {
      if (failure === undefined && !unfinished) return result;
      failuresAtEnd += failure !== undefined || failed !== undefined ? 1 : 0;
      // The worker's progress counts as well.
      idleAtEnd = dealtWith(view) > before ? 0 : idleAtEnd + 1;
      if (idleAtEnd >= MOST_IDLE) failed ??= "some surveys have work left that does not get on";
      if (failuresAtEnd >= MOST_FAILURES || idleAtEnd >= MOST_IDLE) {
        if (failure !== undefined) throw failure;
        throw new SurveysFailedError(failed ?? "surveys could not be polled", {
          hint: "Nothing is lost: the next run goes on where this one stopped.",
        });
      }
    }
    lead.took(Date.now() - started);
    const next = started + options.interval - lead.milliseconds();
    const wait = lastTick ? FINISHING_PAUSE : Math.max(0, next - Date.now());
    const waitForPause = lastTick && pauseLeft > LONGEST_PAUSE ? 0 : Math.min(pauseLeft, LONGEST_PAUSE);
    await pause(Math.max(wait, waitForPause), stop);
    if (stop.aborted) return result;
  }
}

function dealtWith({ totals }: { totals: Progressed }): number {
  return totals.emitted + totals.waiting + totals.withheld;
}

const fatal = new Set(["WRONG_CREDENTIALS", "CREDENTIALS_MISSING", "CREDENTIALS_UNREADABLE", "STATE_REFUSED"]);

function context(): { awsRequestId: string; getRemainingTimeInMillis(): number } {
  const until = Date.now() + INVOCATION_TIME;
  // The same for all ticks and runs: the data folder's lock proves that whoever held a lease by this name is gone.
  return { awsRequestId: "local", getRemainingTimeInMillis: () => until - Date.now() };
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: stop });
  } catch {
    // Told to stop.
  }
}
