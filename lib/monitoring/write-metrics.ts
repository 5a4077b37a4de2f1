import { Metrics } from "@aws-lambda-powertools/metrics";
import { isWritten, type MetricDefinition, type MonitoringLevel, NAMESPACE, webhookMetrics } from "./catalog.ts";
import { serviceName } from "./log.ts";

/** A metric, and its values: none of what did not happen, since a series costs in the hours in which it is written. */
export type MetricValues = [metric: MetricDefinition, values: readonly number[]];

export interface Writing {
  /** How much is written as metrics. Default "minimal". */
  level?: MonitoringLevel | undefined;
  /** Of the invocation: it joins the metrics to the lines of the log. */
  requestId?: string | undefined;
}

/** Writes what a level asks for in one line of the log, in CloudWatch's embedded format; nothing where there is none. */
export function writeMetrics(
  owner: { source: string } | { webhook: string },
  { level = "minimal", requestId }: Writing,
  values: readonly MetricValues[],
): void {
  const written = values.filter(([metric, all]) => all.length > 0 && isWritten(metric, level));
  if (written.length === 0) return;
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: serviceName(), singleMetric: false });
  metrics.addDimensions({ ...owner });
  for (const [{ name, unit }, all] of written) for (const value of all) metrics.addMetric(name, unit, value);
  // A property, and no dimension: by the name that it has in the other lines of the log, it joins them.
  if (requestId !== undefined) metrics.addMetadata("function_request_id", requestId);
  metrics.publishStoredMetrics();
}

/** Writes what an invocation delivered, attempt by attempt. */
export function writeWebhookMetrics(
  webhook: string,
  writing: Writing,
  deliveries: readonly { outcome: "taken" | "retried" | "given-up"; age: number; triedFor: number }[],
): void {
  const taken = deliveries.filter(({ outcome }) => outcome === "taken");
  const failed = deliveries.filter(({ outcome }) => outcome !== "taken");
  const values: MetricValues[] = [
    [webhookMetrics.delivered, taken.length > 0 ? [taken.length] : []],
    [webhookMetrics.deliveryStalled, failed.length > 0 ? [Math.max(...failed.map(({ triedFor }) => triedFor))] : []],
    [webhookMetrics.deliveriesFailed, failed.length > 0 ? [failed.length] : []],
    [webhookMetrics.deliveryAge, taken.map(({ age }) => age)],
  ];
  writeMetrics({ webhook }, writing, values);
}
