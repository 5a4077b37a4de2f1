import { readFlag } from "../../json.ts";
import type { Answer, Metric, Moment, Summary } from "../response-completed.ts";
import { asUtc } from "./date-string.ts";

/** Two numbers of points by the name of a metric: below the first it is low, from the second on high. */
export type Thresholds = Readonly<Record<string, readonly [number, number]>>;

/** The facts from which a summary is worked out. */
export interface SummaryFacts {
  /** Sorted by `metricId`. */
  metrics: readonly Metric[];
  answers: readonly Pick<Answer, "comment">[];
  started: Moment;
  completed: Moment;
  thresholds: Thresholds;
}

/** The few figures by which a reader sorts responses. Each is null where the service does not say enough for it. */
export function summaryOf({ metrics, answers, started, completed, thresholds }: SummaryFacts): Summary {
  const classed = metrics.flatMap((metric) => classOf(metric, thresholds) ?? []);
  return {
    nps: npsOf(metrics),
    ...(classed.length > 0 && { metrics: classed }),
    scorePercent: scorePercentOf(metrics),
    durationSeconds: durationOf(started, completed),
    comments: answers.filter(({ comment }) => comment !== "").length,
    test: metrics.some(({ testMode, raw }) => readFlag(raw?.testMode ?? testMode) === true),
  };
}

/** Of the first metric that is marked as NPS and goes from 0 to 10. */
function npsOf(metrics: readonly Metric[]): Summary["nps"] {
  const isNps = ({ score }: Metric): boolean =>
    score?.nps === true && score.minPointsSum === 0 && score.maxPointsSum === 10;
  const score = metrics.find(isNps)?.score?.pointsSum;
  if (score === null || score === undefined || score < 0 || score > 10) return null;
  // fault: six-is-passive
  return { score, class: score >= 9 ? "promoter" : score >= 7 ? "passive" : "detractor" };
}

/** Of a metric with a name and points, by the thresholds that are given for its name, else by its own. */
function classOf(metric: Metric, thresholds: Thresholds): NonNullable<Summary["metrics"]>[number] | undefined {
  const { metricName: name, score } = metric;
  const points = score?.pointsSum;
  if (typeof name !== "string" || typeof points !== "number") return undefined;
  const [low, high] = (Object.hasOwn(thresholds, name) ? thresholds[name] : ownThresholds(metric)) ?? [];
  if (low === undefined || high === undefined) return undefined;
  return { name, score: points, class: points < low ? "low" : points < high ? "middle" : "high" };
}

/** The service does not say in what its thresholds are measured. Those that do not lie on the scale of the points are no points. */
function ownThresholds({ firstLevelThreshold: low, secondLevelThreshold: high, score }: Metric) {
  const { minPointsSum: least, maxPointsSum: most } = score ?? {};
  if (typeof low !== "number" || typeof high !== "number" || low >= high) return undefined;
  if (typeof least !== "number" || typeof most !== "number" || low < least || high > most) return undefined;
  return [low, high] as const;
}

/** The points of all metrics together, from the least (0) to the most (100) that there are, to one decimal. */
function scorePercentOf(metrics: readonly Metric[]): number | null {
  const sums = { points: 0, least: 0, most: 0 };
  for (const { score } of metrics) {
    const { pointsSum: points, minPointsSum: least, maxPointsSum: most } = score ?? {};
    // Points on a scale that nobody knows say nothing.
    if (typeof points !== "number" || typeof least !== "number" || typeof most !== "number") continue;
    sums.points += points;
    sums.least += least;
    sums.most += most;
  }
  const percent = (100 * (sums.points - sums.least)) / (sums.most - sums.least);
  return percent >= 0 && percent <= 100 ? Math.round(percent * 10) / 10 : null;
}

/**
 * Seconds from start to completion, where one clock has shown both.
 *
 * Example with `timeZone` "Europe/Warsaw": from 2026-10-25 01:50:00 to 02:40:00 the clock was set back, and 02:40:00 names two instants: null.
 */
function durationOf(started: Moment, completed: Moment): number | null {
  const [from, to] = [started, completed].map(({ local, ambiguous }) =>
    local === null || ambiguous === true ? undefined : asUtc(local),
  );
  if (from === undefined || to === undefined) return null;
  const shown = to - from;
  const passed =
    started.at === undefined || completed.at === undefined ? shown : Date.parse(completed.at) - Date.parse(started.at);
  return shown >= 0 && shown === passed ? shown / 1000 : null;
}
