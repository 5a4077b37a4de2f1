import { Metrics } from "@aws-lambda-powertools/metrics";
import { metrics as catalog, NAMESPACE } from "./catalog.ts";
import type { MetricValues } from "./run-metrics.ts";

/** Writes metrics of a source in one line of the log, in CloudWatch's embedded format; nothing where there are none. */
export function writeMetrics(source: string, values: readonly MetricValues[]): void {
  if (values.length === 0) return;
  // The dimension `service` is the deployment's, from POWERTOOLS_SERVICE_NAME: two of one account may have sources of the same name.
  const metrics = new Metrics({ namespace: NAMESPACE, singleMetric: false });
  metrics.addDimension("source", source);
  for (const [key, all] of values) {
    const { name, unit } = catalog[key];
    for (const value of all) metrics.addMetric(name, unit, value);
  }
  metrics.publishStoredMetrics();
}
