import type { ToldFailure } from "../errors.ts";
import type { BacklogRound, SurveySummary, TickSummary } from "../polling/index.ts";
import type { Log } from "./log.ts";
import { isReadingBacklog, type RequestCounts } from "./run-metrics.ts";
import type { Sightings } from "./sightings.ts";

const HOUR = 3_600_000;

interface TickReport {
  summary: TickSummary;
  seen: Sightings;
  requests: RequestCounts;
  /** Milliseconds; see stalled.ts. */
  stalled: number;
  now: number;
}

/**
 * Lines for each tick with news, a summary in the first tick of an hour, and lines for failures and for a pause that has ended the tick.
 * The table knows the last tick, and so which one is the first of an hour: a process may be a new one.
 */
export function logTick(logger: Log, { summary, seen, requests, stalled, now }: TickReport): void {
  const { source } = summary;
  if (summary.isBusy === true) {
    logger.info("left: another invocation does the tick", { source });
    return;
  }
  if (summary.pausedUntil !== undefined) {
    const until = new Date(summary.pausedUntil).toISOString();
    const { pausedSince } = summary;
    if (pausedSince === undefined) logger.warn("source paused", { source, until });
    else logger.info("source paused by an operator", { source, since: new Date(pausedSince).toISOString(), until });
    return;
  }
  for (const { surveyId, outcome, failure, booksOpen } of summary.surveys) {
    if (outcome === "failed") tellFailed(logger, source, surveyId, failure);
    else if (booksOpen?.code === "read-as-empty") logger.warn("survey shows too few", { source, surveyId, shown: 0 });
  }
  if (summary.unreadableSurveys !== undefined)
    logger.warn("unreadable surveys", { source, count: summary.unreadableSurveys });
  for (const operation of summary.outages) logger.warn("outage", { source, operation });
  const { news, hasNews } = newsOf(seen, summary.surveys);
  const { lastTick = Number.NEGATIVE_INFINITY } = seen.basis;
  if (!hasNews && Math.floor(lastTick / HOUR) === Math.floor(now / HOUR)) return;
  logger.info(hasNews ? "tick" : "idle", {
    source,
    listed: summary.listed,
    polled: summary.surveys.length,
    ...news,
    ...lagDetails(seen),
    requests,
    behind: isReadingBacklog(summary),
    stalled,
    ...(summary.figures === undefined ? {} : { figures: summary.figures }),
  });
}

function tellFailed(logger: Log, source: string, surveyId: number, failure: ToldFailure | undefined): void {
  const { code, message: reason, frames } = failure ?? {};
  logger.warn("survey failed", { source, surveyId, code, reason, frames });
}

function newsOf({ emitted, quarantined, refused, held }: Sightings, surveys: readonly SurveySummary[]) {
  const waiting = surveys.reduce((sum, survey) => sum + survey.waiting, 0);
  const news = { emitted, waiting, quarantined, refused, held };
  return { news, hasNews: Object.values(news).some((count) => count > 0) };
}

/** One line for each round of catching up with news, and one for each survey that fails. */
export function logRound(logger: Log, { source, turns }: BacklogRound, seen: Sightings, requests: RequestCounts): void {
  for (const { surveyId, failure } of turns) if (failure !== undefined) tellFailed(logger, source, surveyId, failure);
  const { news, hasNews } = newsOf(seen, turns);
  if (hasNews) logger.info("backlog", { source, surveys: turns.length, ...news, ...lagDetails(seen), requests });
}

/** Milliseconds of the slowest event, and of the one in the middle; nothing where no lag can be told. */
function lagDetails({ lags }: Pick<Sightings, "lags">): { lag?: { median: number; worst: number } } {
  const sorted = [...lags].sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return median === undefined || worst === undefined ? {} : { lag: { median, worst } };
}
