import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, Metric, TreatMissingData, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { MINUTE } from "../../lib/config/units.ts";
import { NAMESPACE } from "../../lib/monitoring/catalog.ts";
import { webhookMetrics } from "../../lib/monitoring/webhook-metrics.ts";
import type { AlarmDefinition } from "./source-alarms.ts";

/** Milliseconds: what fails in passing is over by then, and nothing has been given up yet. */
const STALLED = 30 * MINUTE;

/** Tells of an endpoint that takes nothing, or of a secret that is missing, while the events are still being tried. */
export function webhookAlarm(deployment: string, webhook: string): AlarmDefinition {
  return {
    id: "Stalled",
    what: "an event has been tried for more than half an hour in vain.",
    section: "webhook-stalled",
    metric: new Metric({
      namespace: NAMESPACE,
      metricName: webhookMetrics.deliveryStalled.name,
      statistic: "Maximum",
      unit: Unit.MILLISECONDS,
      dimensionsMap: { service: deployment, webhook },
    }),
    window: { period: Duration.minutes(15), periods: 1 },
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    threshold: STALLED,
    missing: TreatMissingData.NOT_BREACHING,
    tellsOk: true,
  };
}
