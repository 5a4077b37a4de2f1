import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, Metric, TreatMissingData, Unit } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { DAY, formatDuration, MINUTE } from "../../lib/config/units.ts";
import { NAMESPACE, webhookMetrics } from "../../lib/monitoring/catalog.ts";
import { type MetricsOwner, sourceMetric } from "./metrics.ts";

export interface AlarmDefinition {
  /** Also the last part of its construct's id. */
  id: string;
  /** One sentence for the mail: what is the matter. */
  what: string;
  /** Heading of its section in the runbook, as its address has it. */
  section: string;
  metric: Metric;
  window: Window;
  /** Of the periods of the window; all of them by default. */
  breaching?: number;
  /** Default: at least the threshold. */
  comparison?: ComparisonOperator;
  /** Default 1. */
  threshold?: number;
  /** Default: no value is no trouble. */
  missing?: TreatMissingData;
  /** False for trouble that has not passed just because no more of it comes. */
  tellsOk?: boolean;
}

/** Milliseconds: most of what fails in passing is over by then. */
const STALLED = 30 * MINUTE;

const { GREATER_THAN_THRESHOLD: ABOVE, LESS_THAN_THRESHOLD: BELOW } = ComparisonOperator;

/**
 * The alarms of a source. None has two causes, and no cause raises two: a tick that another alarm tells of counts as made. Each looks at one
 * metric, as alarms on expressions cost by each of theirs.
 */
export function sourceAlarms(
  owner: MetricsOwner,
  { name: source, interval }: { name: string; interval: number },
  lagThreshold: number,
): AlarmDefinition[] {
  const of = (key: Parameters<typeof sourceMetric>[1], statistic: string): Metric =>
    sourceMetric(owner, key, statistic, { source });
  const ticks = tickWindow(interval);
  const noTick = ticks && {
    id: "NoSuccessfulTick",
    what: `no tick has come to its end for ${text(ticks)}.`,
    section: "no-successful-tick",
    // Each tick that came to its end has written this one, whatever its value.
    metric: of("credentialsProblem", "SampleCount"),
    window: ticks,
    comparison: BELOW,
    missing: TreatMissingData.BREACHING,
  };
  return [
    ...(noTick === undefined ? [] : [noTick]),
    {
      id: "CredentialsProblem",
      what: "the credentials are missing, or the survey service rejects them.",
      section: "credentials-missing-or-rejected",
      // One tick that had credentials is enough.
      metric: of("credentialsProblem", "Minimum"),
      window: windowOf(interval, 5, 1),
      // No tick, no news of the credentials: whether it is mended is for the next one to say.
      missing: TreatMissingData.IGNORE,
    },
    {
      id: "DetectionLag",
      what: `at least half of the events came more than ${formatDuration(lagThreshold)} after the completion of their responses.`,
      section: "events-are-late",
      // What comes late now and then, because the service lists it late, is not what this is for.
      metric: of("detectionLag", "p50"),
      window: windowOf(interval, 15, 4),
      breaching: 2,
      comparison: ABOVE,
      threshold: lagThreshold,
    },
    {
      id: "Stalled",
      what: `for more than ${formatDuration(STALLED)} something has kept responses from going out, or from being accounted for.`,
      section: "something-stands-still",
      metric: of("stalled", "Maximum"),
      // An age that a new process begins to count anew is still known here.
      window: windowOf(interval, 15, 4),
      breaching: 1,
      comparison: ABOVE,
      threshold: STALLED,
    },
    {
      id: "Withheld",
      what: "responses do not go out: they cannot be read, the bus has refused them, or nothing proves their contents.",
      section: "responses-are-withheld",
      metric: of("withheld", "Sum"),
      // A day: it is told once for what comes in one.
      window: windowOf(interval, 15, 96),
      breaching: 1,
      tellsOk: false,
    },
    {
      id: "Throttled",
      what: `the survey service's rate limit has been ending ticks for ${text(windowOf(interval, 5, 6))}.`,
      section: "throttled-for-long",
      metric: of("throttled", "Sum"),
      window: windowOf(interval, 5, 6),
      // Ticks do not fall evenly into periods of their own length.
      breaching: 5,
    },
  ];
}

function text({ period, periods }: Window): string {
  return formatDuration(period.toMilliseconds() * periods);
}

export function deadLetterAlarm(queue: IQueue, of: string): AlarmDefinition {
  return {
    id: "DeadLetters",
    what: `the queue of ${of} holds some.`,
    section: "dead-letters",
    metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
    window: { period: Duration.minutes(5), periods: 1 },
  };
}

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
    comparison: ABOVE,
    threshold: STALLED,
  };
}

/** The window of an alarm: so many periods of this length. */
interface Window {
  period: Duration;
  periods: number;
}

const DAY_MINUTES = DAY / MINUTE;
/** CloudWatch looks back for a day with periods below an hour, else for a week. */
const MOST_DAYS = { short: 1, long: 7 };

/**
 * Periods of at least `minutes`, and of at least one tick each; no more of them than CloudWatch looks back.
 *
 * @param interval milliseconds between ticks
 */
function windowOf(interval: number, minutes: number, periods: number): Window {
  const length = Math.min(Math.max(minutes, interval / MINUTE), DAY_MINUTES);
  const most = length < 60 ? MOST_DAYS.short : MOST_DAYS.long;
  return { period: Duration.minutes(length), periods: Math.min(periods, Math.floor((most * DAY_MINUTES) / length)) };
}

/** The window in which a tick is sure to fall; undefined where CloudWatch does not look back so far. */
export function tickWindow(interval: number): Window | undefined {
  const days = Math.ceil(interval / DAY);
  if (days <= 1) return windowOf(interval, 5, 3);
  return days + 1 > MOST_DAYS.long ? undefined : { period: Duration.days(1), periods: days + 1 };
}
