import { Metrics } from "@aws-lambda-powertools/metrics";
import { metrics as catalog, NAMESPACE } from "./catalog.ts";
import { serviceName } from "./log.ts";
import type { MetricValues } from "./run-metrics.ts";

/** Which run metrics are of. */
export interface MeasuredRun {
  source: string;
  /** Of the invocation. */
  requestId?: string | undefined;
}

/** Writes metrics of a run in one line of the log, in CloudWatch's embedded format; nothing where there are none. */
export function writeMetrics({ source, requestId }: MeasuredRun, values: readonly MetricValues[]): void {
  if (values.length === 0) return;
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: serviceName(), singleMetric: false });
  metrics.addDimension("source", source);
  for (const [key, all] of values) {
    const { name, unit } = catalog[key];
    for (const value of all) metrics.addMetric(name, unit, value);
  }
  // A property, and no dimension: by the name that it has in the other lines of the log, it joins them.
  if (requestId !== undefined) metrics.addMetadata("function_request_id", requestId);
  metrics.publishStoredMetrics();
}
