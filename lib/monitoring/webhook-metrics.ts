import { webhookMetrics } from "./catalog.ts";
import { type MetricValues, type Writing, writeMetrics } from "./write-metrics.ts";

/** One attempt, as the metrics count it. */
export interface Delivered {
  outcome: "taken" | "retried" | "given-up";
  age: number;
  triedFor: number;
}

/** Writes what an invocation delivered. */
export function writeWebhookMetrics(webhook: string, writing: Writing, deliveries: readonly Delivered[]): void {
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
