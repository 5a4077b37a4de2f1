import { type Duration, Names, Stack, Token } from "aws-cdk-lib";
import { MathExpression, Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { ConfigError } from "../../lib/config/index.ts";
import { isWritten, type MetricKey, type MonitoringLevel, metrics, NAMESPACE } from "../../lib/monitoring/catalog.ts";

/** Of which source, and how it is to be looked at. Statistic and period have defaults that fit the metric. */
interface SourceMetricOptions extends Omit<MetricOptions, "dimensionsMap" | "unit"> {
  /** Name of the source. It may be left out where there is only one. */
  source?: string;
}

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
  if (!isWritten(metrics[key], owner.level)) {
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

/** The same metric of all sources, however many: CloudWatch looks for them. */
export function searchedMetric(owner: MetricsOwner, key: MetricKey, statistic: string, period: Duration, sum = false) {
  const of = `{${NAMESPACE},service,source} MetricName="${metrics[key].name}" service="${owner.deployment}"`;
  const search = `SEARCH('${of}', '${statistic}', ${period.toSeconds()})`;
  return new MathExpression({ expression: sum ? `SUM(${search})` : search, label: `${key} ${statistic}`, period });
}

function chosen({ sources }: MetricsOwner, source: string | undefined): string {
  const names = sources.map(({ name }) => name);
  const [only, ...others] = names;
  if (source === undefined && only !== undefined && others.length === 0) return only;
  if (source !== undefined && names.includes(source)) return source;
  const message = `must be one of ${names.map((name) => `"${name}"`).join(", ")}`;
  throw new ConfigError([{ path: "source", message }], { hint: 'Such as poller.metricEmitted({ source: "main" }).' });
}

/**
 * The metrics of a poller, each of one source: `source` may be left out where there is only one.
 *
 * @example
 * poller.metricDetectionLag({ statistic: "p90" }).createAlarm(this, "Late", { threshold: 300_000, evaluationPeriods: 3 });
 */
export abstract class PollerMetrics extends Construct {
  protected abstract readonly metricsOwner: MetricsOwner;

  /**
   * Milliseconds from the completion of a response to its event, one value an event; p50 by default. Without a `timeZone` of the source it is
   * the time for which nobody had looked.
   */
  metricDetectionLag(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "detectionLag", "p50", options);
  }

  /** Events that the bus has taken. Sum. */
  metricEmitted(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "emitted", "Sum", options);
  }

  /** Ticks that came to their end, or ended for a reason that another metric tells. Sample count, whatever is asked for. */
  metricTicks(options?: Omit<SourceMetricOptions, "statistic">): Metric {
    return sourceMetric(this.metricsOwner, "credentialsProblem", "SampleCount", options);
  }

  /** 1 while a source has no credentials that work, 0 while it has. Minimum: 1 only where every tick had none. */
  metricCredentialsProblem(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "credentialsProblem", "Minimum", options);
  }

  /** Ticks that the service's rate limit has ended. Sum. */
  metricThrottled(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "throttled", "Sum", options);
  }

  /** Responses and records that do not go out: quarantined, refused by the bus, or held. Sum. */
  metricWithheld(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "withheld", "Sum", options);
  }

  /** Milliseconds for which something keeps responses from going out or from being accounted for. Maximum. */
  metricStalled(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "stalled", "Maximum", options);
  }

  /** HTTP requests to the service, all of them or those of an outcome. Sum. Needs `"monitoring": "full"`. */
  metricRequests({ outcome, ...options }: SourceMetricOptions & { outcome?: "throttled" | "failed" } = {}): Metric {
    const keys = { all: "requests", throttled: "requestsThrottled", failed: "requestsFailed" } as const;
    return sourceMetric(this.metricsOwner, keys[outcome ?? "all"], "Sum", options);
  }

  /** Responses that a tick has made wait for their metrics or metadata. Sum. Needs `"monitoring": "full"`. */
  metricWaiting(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "waiting", "Sum", options);
  }

  /** Surveys with a backlog at the end of a tick. Maximum. Needs `"monitoring": "full"`. */
  metricBehind(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "behind", "Maximum", options);
  }

  /** Listed responses that full reads could not account for, of the surveys that a tick has polled. Maximum. Needs `"monitoring": "full"`. */
  metricUnaccounted(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "unaccounted", "Maximum", options);
  }
}

/** Names a construct within its account and region, in a form that can be read and typed. Two of them may have sources of the same name. */
export function deploymentName(construct: Construct): string {
  const { stackName, node: stack } = Stack.of(construct);
  const within = construct.node.path.slice(stack.path.length).split("/").filter(Boolean);
  const readable = [stackName, ...within].join("-");
  if (!Token.isUnresolved(stackName) && /^[A-Za-z0-9_-]{1,128}$/.test(readable)) return readable;
  // Of a nested stack the name is not known yet.
  return Names.uniqueResourceName(construct, { maxLength: 128, separator: "-", allowedSpecialCharacters: "-_" });
}
