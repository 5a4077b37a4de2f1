import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { type MetricsOwner, type SourceMetricOptions, sourceMetric } from "./source-metrics.ts";

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
  metricCatchingUp(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "catchingUp", "Maximum", options);
  }

  /** Listed responses that full passes could not account for, of the surveys that a tick has polled. Maximum. Needs `"monitoring": "full"`. */
  metricUnaccounted(options?: SourceMetricOptions): Metric {
    return sourceMetric(this.metricsOwner, "unaccounted", "Maximum", options);
  }
}
