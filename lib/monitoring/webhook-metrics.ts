import { Metrics } from "@aws-lambda-powertools/metrics";
import { type MetricDefinition, type MonitoringLevel, NAMESPACE } from "./catalog.ts";
import { serviceName } from "./log.ts";

/** Every metric of a webhook, by the dimensions `service` and `webhook`. What did not happen is not written. */
export const webhookMetrics = {
  /** Events that the endpoint has taken. */
  delivered: { name: "Delivered", unit: "Count", level: "minimal" },
  /** For how long the longest-tried event has been tried in vain: from its first attempt to its last. */
  deliveryStalled: { name: "DeliveryStalled", unit: "Milliseconds", level: "minimal" },
  /** Attempts that failed. */
  deliveriesFailed: { name: "DeliveriesFailed", unit: "Count", level: "full" },
  /** From an event's coming into the queue to its being taken. One value an event. */
  deliveryAge: { name: "DeliveryAge", unit: "Milliseconds", level: "full" },
} as const satisfies Record<string, MetricDefinition>;

/** One attempt, as the metrics count it. */
export interface Delivered {
  outcome: "taken" | "retried" | "given-up";
  age: number;
  triedFor: number;
}

export interface MeasuredForwarding {
  webhook: string;
  requestId: string;
  level: MonitoringLevel;
}

/** Writes what an invocation delivered in one line of the log, in CloudWatch's embedded format. */
export function writeWebhookMetrics(
  { webhook, requestId, level }: MeasuredForwarding,
  deliveries: readonly Delivered[],
): void {
  const taken = deliveries.filter(({ outcome }) => outcome === "taken");
  const failed = deliveries.filter(({ outcome }) => outcome !== "taken");
  const values: Record<keyof typeof webhookMetrics, number[]> = {
    delivered: taken.length > 0 ? [taken.length] : [],
    deliveryStalled: failed.length > 0 ? [Math.max(...failed.map(({ triedFor }) => triedFor))] : [],
    deliveriesFailed: failed.length > 0 ? [failed.length] : [],
    deliveryAge: taken.map(({ age }) => age),
  };
  const written = Object.entries(values).flatMap(([key, all]) => {
    const { name, unit, level: least } = webhookMetrics[key as keyof typeof webhookMetrics];
    return level === "full" || least === "minimal" ? all.map((value) => ({ name, unit, value })) : [];
  });
  if (written.length === 0) return;
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: serviceName(), singleMetric: false });
  metrics.addDimension("webhook", webhook);
  for (const { name, unit, value } of written) metrics.addMetric(name, unit, value);
  metrics.addMetadata("function_request_id", requestId);
  metrics.publishStoredMetrics();
}
