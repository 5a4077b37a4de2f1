import { errorCode } from "../errors.ts";
import type { BacklogRound, TickFigures, TickSummary } from "../polling/index.ts";
import { isWritten, type MetricKey, type MonitoringLevel } from "./catalog.ts";
import { credentialsProblem } from "./credentials-problem.ts";
import { spread } from "./detection-lag.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { Sightings } from "./watched-ports.ts";

/** Values of a metric, one at least. */
export type MetricValues = [key: MetricKey, values: number[]];

/** How a run ended: a tick with a summary or by a failure of the whole source, or a round of catching up. */
export type RunEnd = { summary: TickSummary; stalled: number } | { error: unknown } | { round: BacklogRound };

const THROTTLED = "TOO_MANY_REQUESTS";

/**
 * The metrics of a tick, or of a round of catching up. Nothing is written of what did not happen: a series costs in the hours in which it
 * is written.
 */
export function seenMetrics({ emitted, lags, ...seen }: Sightings, requests: RequestCounts): MetricValues[] {
  const withheld = seen.quarantined + seen.refused + seen.held;
  const happened: MetricValues[] = [
    ["emitted", emitted > 0 ? [emitted] : []],
    ["withheld", withheld > 0 ? [withheld] : []],
    ["requests", [requests.all]],
    ["requestsThrottled", [requests.throttled]],
    ["requestsFailed", [requests.failed]],
    ["detectionLag", spread(lags)],
  ];
  return happened.filter(([, values]) => values.length > 0);
}

/**
 * The metrics of the end of a run. One that fails for a reason without an alarm of its own writes nothing: missing ticks are the alarm
 * then. One cause raises one alarm.
 */
export function endMetrics(end: RunEnd): MetricValues[] {
  if ("round" in end) {
    const failed = end.round.turns.filter(({ failure }) => failure !== undefined).length;
    return failed === 0 ? [] : [["surveysFailed", [failed]]];
  }
  if ("error" in end) {
    if (credentialsProblem(end.error) !== undefined) return [["credentialsProblem", [1]]];
    if (errorCode(end.error) !== THROTTLED) return [];
    return [
      ["credentialsProblem", [0]],
      ["throttled", [1]],
    ];
  }
  const { summary, stalled } = end;
  // The other invocation writes of that tick, if it comes to its end: else it is missing, however many were left to it.
  if (summary.isBusy === true) return [];
  const ended: MetricValues = ["credentialsProblem", [0]];
  // Whom an operator has paused has come to the end that was asked for.
  if (summary.pausedSince !== undefined) return [ended];
  if (summary.pausedUntil !== undefined) return [ended, ["throttled", [1]]];
  return [
    ended,
    ["stalled", [stalled]],
    ["waiting", [sum(summary, ({ waiting }) => waiting)]],
    ["behind", [isReadingBacklog(summary)]],
    ["surveysFailed", [summary.surveys.filter(({ outcome }) => outcome === "failed").length]],
    ...figureMetrics(summary.figures),
  ];
}

/** Surveys with work left: a backlog under way, or no time for them at all. */
export function isReadingBacklog({ surveys, unpolled }: TickSummary): number {
  return unpolled + surveys.filter(({ outcome, unfinished }) => outcome === "polled" && unfinished).length;
}

export function sum({ surveys }: TickSummary, count: (survey: TickSummary["surveys"][number]) => number): number {
  return surveys.reduce((total, survey) => total + count(survey), 0);
}

function figureMetrics(figures: TickFigures | undefined): MetricValues[] {
  if (figures === undefined) return [];
  return [
    ["unaccounted", [figures.unaccounted]],
    ["rangeUnreachable", [figures.rangeUnreachable]],
    ["repaired", [figures.repaired]],
    ["repairedAgain", [figures.repairedAgain]],
    ["changed", [figures.changed]],
    ["booksClosed", [figures.booksClosed]],
    ["booksNeverClosed", [figures.neverClosed]],
    ["oldestBooks", [figures.oldestBooks]],
    ["fullPollLate", [figures.fullPollLate]],
    ["backgroundOverdrawn", [Math.ceil(figures.overdrawn)]],
  ];
}

/** The metrics that a level writes. */
export function ofLevel(all: readonly MetricValues[], level: MonitoringLevel): MetricValues[] {
  return all.filter(([key]) => isWritten(key, level));
}
