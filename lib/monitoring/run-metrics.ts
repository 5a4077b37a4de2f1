import { errorCode } from "../errors.ts";
import type { BacklogRound, TickFigures, TickSummary } from "../polling/index.ts";
import { type RequestEvent, requestChannel } from "../survey-api/diagnostics.ts";
import { metrics } from "./catalog.ts";
import { credentialsProblem } from "./credentials-problem.ts";
import { spread } from "./detection-lag.ts";
import type { Sightings } from "./sightings.ts";
import type { MetricValues } from "./write-metrics.ts";

/** HTTP requests to the survey service by their outcome. */
export interface RequestCounts {
  all: number;
  /** Refused for now: 429. */
  throttled: number;
  /** No answer, or a fault of the service's own. */
  failed: number;
}

/**
 * Counts the requests that this process makes until `stop` is called. Requests do not say of which source they are. On one machine the
 * backlogs of several are worked off side by side, so each counts the others' requests too.
 */
export function countRequests(): { requests: RequestCounts; stop: () => void } {
  const requests: RequestCounts = { all: 0, throttled: 0, failed: 0 };
  const count = (message: unknown): void => {
    const { status } = message as RequestEvent;
    requests.all += 1;
    if (status === 429) requests.throttled += 1;
    if (status === undefined || status >= 500) requests.failed += 1;
  };
  requestChannel.subscribe(count);
  return { requests, stop: () => void requestChannel.unsubscribe(count) };
}

/** How a run ended: a tick with a summary or by a failure of the whole source, or a round of catching up. */
export type RunEnd = { summary: TickSummary; stalled: number } | { error: unknown } | { round: BacklogRound };

const THROTTLED = "TOO_MANY_REQUESTS";

/** The metrics of what a tick, or a round of catching up, has done. */
export function seenMetrics({ emitted, lags, ...seen }: Sightings, requests: RequestCounts): MetricValues[] {
  const withheld = seen.quarantined + seen.refused + seen.held;
  return [
    [metrics.emitted, emitted > 0 ? [emitted] : []],
    [metrics.withheld, withheld > 0 ? [withheld] : []],
    [metrics.requests, [requests.all]],
    [metrics.requestsThrottled, [requests.throttled]],
    [metrics.requestsFailed, [requests.failed]],
    [metrics.detectionLag, spread(lags)],
  ];
}

/**
 * The metrics of the end of a run. One that fails for a reason without an alarm of its own writes nothing: missing ticks are the alarm
 * then. One cause raises one alarm.
 */
export function endMetrics(end: RunEnd): MetricValues[] {
  if ("round" in end) {
    const failed = end.round.turns.filter(({ failure }) => failure !== undefined).length;
    return [[metrics.surveysFailed, failed === 0 ? [] : [failed]]];
  }
  const ended: MetricValues = [metrics.credentialsProblem, [0]];
  if ("error" in end) {
    if (credentialsProblem(end.error) !== undefined) return [[metrics.credentialsProblem, [1]]];
    return errorCode(end.error) === THROTTLED ? [ended, [metrics.throttled, [1]]] : [];
  }
  const { summary, stalled } = end;
  // The other invocation writes of that tick, if it comes to its end: else it is missing, however many were left to it.
  if (summary.isBusy === true) return [];
  // Whom an operator has paused has come to the end that was asked for.
  if (summary.pausedSince !== undefined) return [ended];
  if (summary.pausedUntil !== undefined) return [ended, [metrics.throttled, [1]]];
  return [
    ended,
    [metrics.stalled, [stalled]],
    [metrics.waiting, [summary.surveys.reduce((sum, { waiting }) => sum + waiting, 0)]],
    [metrics.behind, [isReadingBacklog(summary)]],
    [metrics.surveysFailed, [summary.surveys.filter(({ outcome }) => outcome === "failed").length]],
    ...(summary.figures === undefined ? [] : figureMetrics(summary.figures)),
  ];
}

/** Surveys with work left: a backlog under way, or no time for them at all. */
export function isReadingBacklog({ surveys, unpolled }: TickSummary): number {
  return unpolled + surveys.filter(({ outcome, unfinished }) => outcome === "polled" && unfinished).length;
}

function figureMetrics(figures: TickFigures): MetricValues[] {
  return [
    [metrics.unaccounted, [figures.unaccounted]],
    [metrics.rangeUnreachable, [figures.rangeUnreachable]],
    [metrics.repaired, [figures.repaired]],
    [metrics.repairedAgain, [figures.repairedAgain]],
    [metrics.changed, [figures.changed]],
    [metrics.booksClosed, [figures.booksClosed]],
    [metrics.booksNeverClosed, [figures.neverClosed]],
    [metrics.oldestBooks, [figures.oldestBooks]],
    [metrics.fullPollLate, [figures.fullPollLate]],
    [metrics.backgroundOverdrawn, [Math.ceil(figures.overdrawn)]],
  ];
}
