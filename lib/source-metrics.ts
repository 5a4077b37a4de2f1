import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { TickSummary } from "./polling/tick-summary.ts";

/** One name for all metrics of the poller; a source is a dimension, a survey never is: each would cost by itself. */
const NAMESPACE = "SurveyPoller";

/** Writes the figures of a tick as metrics of its source, in one line of the log. */
export function publishFigures(summary: TickSummary): void {
  const { figures } = summary;
  if (figures === undefined) return;
  const metrics = new Metrics({ namespace: NAMESPACE, singleMetric: false });
  metrics.addDimension("source", summary.source);
  const sum = (count: (survey: TickSummary["surveys"][number]) => number): number =>
    summary.surveys.reduce((total, survey) => total + count(survey), 0);
  const counts = {
    Emitted: sum(({ emitted }) => emitted),
    Waiting: sum(({ waiting }) => waiting),
    Quarantined: sum(({ quarantined }) => quarantined),
    SurveysFailed: summary.surveys.filter(({ outcome }) => outcome === "failed").length,
    Unaccounted: figures.unaccounted,
    RangeUnreachable: figures.rangeUnreachable,
    Repaired: figures.repaired,
    RepairedAgain: figures.repairedAgain,
    Changed: figures.changed,
    BooksClosed: figures.booksClosed,
    BooksNeverClosed: figures.neverClosed,
    BackgroundOverdrawn: Math.ceil(figures.overdrawn),
  };
  for (const [name, value] of Object.entries(counts)) metrics.addMetric(name, MetricUnit.Count, value);
  metrics.addMetric("OldestBooks", MetricUnit.Milliseconds, figures.oldestBooks);
  metrics.addMetric("FullPollLate", MetricUnit.Milliseconds, figures.fullPollLate);
  metrics.publishStoredMetrics();
}
