import { ComparisonOperator, type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { formatDuration, MINUTE } from "../../lib/config/units.ts";
import { type MetricsOwner, sourceMetric } from "./source-metrics.ts";
import { tickWindow, type Window, windowOf } from "./window.ts";

/** An alarm on what a person must see to. */
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
  comparison: ComparisonOperator;
  threshold: number;
  missing: TreatMissingData;
  /** False for trouble that has not passed just because no more of it comes. */
  tellsOk: boolean;
}

export interface AlarmedSource {
  name: string;
  /** Milliseconds between ticks. */
  interval: number;
}

/** Milliseconds: most of what fails in passing is over by then. */
const STALLED = 30 * MINUTE;

const {
  GREATER_THAN_OR_EQUAL_TO_THRESHOLD: AT_LEAST,
  GREATER_THAN_THRESHOLD: ABOVE,
  LESS_THAN_THRESHOLD: BELOW,
} = ComparisonOperator;
const { BREACHING, IGNORE, NOT_BREACHING } = TreatMissingData;

/**
 * The alarms of a source. None has two causes, and no cause raises two: a tick that another alarm tells of counts as made. Each looks at one
 * metric, as alarms on expressions cost by each of theirs.
 */
export function sourceAlarms(
  owner: MetricsOwner,
  { name: source, interval }: AlarmedSource,
  lagThreshold: number,
): AlarmDefinition[] {
  const of = (key: Parameters<typeof sourceMetric>[1], statistic: string): Metric =>
    sourceMetric(owner, key, statistic, { source });
  const ticks = tickWindow(interval);
  return [
    ...(ticks === undefined
      ? []
      : [
          {
            id: "NoSuccessfulTick",
            what: `no tick has come to its end for ${text(ticks)}.`,
            section: "no-successful-tick",
            // Each tick that came to its end has written this one, whatever its value.
            metric: of("credentialsProblem", "SampleCount"),
            window: ticks,
            comparison: BELOW,
            threshold: 1,
            missing: BREACHING,
            tellsOk: true,
          },
        ]),
    {
      id: "CredentialsProblem",
      what: "the credentials are missing, or the survey service rejects them.",
      section: "credentials-missing-or-rejected",
      // One tick that had credentials is enough.
      metric: of("credentialsProblem", "Minimum"),
      window: windowOf(interval, 5, 1),
      comparison: AT_LEAST,
      threshold: 1,
      // No tick, no news of the credentials: whether it is mended is for the next one to say.
      missing: IGNORE,
      tellsOk: true,
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
      // Without news there is nothing late.
      missing: NOT_BREACHING,
      tellsOk: true,
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
      // Ticks that are missing have an alarm of their own.
      missing: NOT_BREACHING,
      tellsOk: true,
    },
    {
      id: "Withheld",
      what: "responses do not go out: they cannot be read, the bus has refused them, or nothing proves their contents.",
      section: "responses-are-withheld",
      metric: of("withheld", "Sum"),
      // A day: it is told once for what comes in one.
      window: windowOf(interval, 15, 96),
      breaching: 1,
      comparison: AT_LEAST,
      threshold: 1,
      // Written only when there are any.
      missing: NOT_BREACHING,
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
      comparison: AT_LEAST,
      threshold: 1,
      // Written only when there are any.
      missing: NOT_BREACHING,
      tellsOk: true,
    },
  ];
}

function text({ period, periods }: Window): string {
  return formatDuration(period.toMilliseconds() * periods);
}
