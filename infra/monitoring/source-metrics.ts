import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { ConfigError } from "../../lib/config/index.ts";
import { isWritten, type MetricKey, type MonitoringLevel, metrics, NAMESPACE } from "../../lib/monitoring/catalog.ts";

/** Of which source, and how it is to be looked at. Statistic and period have defaults that fit the metric. */
export interface SourceMetricOptions extends Omit<MetricOptions, "dimensionsMap" | "unit"> {
  /** Name of the source. It may be left out where there is only one. */
  source?: string;
}

/** Whose metrics these are. */
export interface MetricsOwner {
  /** The value of the dimension `service`: one for each deployment in an account and region. */
  deployment: string;
  sources: readonly { name: string }[];
  level: MonitoringLevel;
}

const UNITS = { Count: Unit.COUNT, Milliseconds: Unit.MILLISECONDS } as const;

/**
 * A metric as the functions write it.
 *
 * @throws ConfigError when there is no such source, none is named although there are several, or the level does not write the metric
 */
export function sourceMetric(
  owner: MetricsOwner,
  key: MetricKey,
  defaultStatistic: string,
  { source, ...options }: SourceMetricOptions = {},
): Metric {
  const { name, unit } = metrics[key];
  if (!isWritten(key, owner.level)) {
    throw new ConfigError([{ path: "monitoring.level", message: `must be "full": "minimal" does not write ${name}` }]);
  }
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    statistic: defaultStatistic,
    ...options,
    unit: UNITS[unit],
    dimensionsMap: { service: owner.deployment, source: chosen(owner, source) },
  });
}

function chosen({ sources }: MetricsOwner, source: string | undefined): string {
  const names = sources.map(({ name }) => name);
  const [only, ...others] = names;
  if (source === undefined && only !== undefined && others.length === 0) return only;
  if (source !== undefined && names.includes(source)) return source;
  const message = `must be one of ${names.map((name) => `"${name}"`).join(", ")}`;
  throw new ConfigError([{ path: "source", message }], { hint: 'Such as poller.metricEmitted({ source: "main" }).' });
}
