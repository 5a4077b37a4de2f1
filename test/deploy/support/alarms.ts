import assert from "node:assert/strict";
import { DescribeAlarmsCommand, GetMetricStatisticsCommand, type MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { GetQueueUrlCommand } from "@aws-sdk/client-sqs";
import type { Aws } from "./aws.ts";
import { until } from "./until.ts";

/** An alarm as it is deployed, which has each of these. */
type Alarm = MetricAlarm & Required<Pick<MetricAlarm, "Threshold" | "ComparisonOperator" | "AlarmActions">>;

export type AlarmWatch = Awaited<ReturnType<typeof watchAlarms>>;

/** Seconds: so long that all values lie in one period. */
const EVER = 10 ** 10;

/**
 * The deployed alarms, each by the metric and statistic it looks at, and of queues by the queue's name. One is raised while what its own metric,
 * dimensions, unit and statistic give breaches its threshold. How many periods have to is CloudWatch's arithmetic, and the template's.
 */
export async function watchAlarms(aws: Aws) {
  const { MetricAlarms = [] } = await aws.cloudWatch.send(new DescribeAlarmsCommand({}));
  const alarms = new Map(MetricAlarms.map((alarm) => [nameOf(alarm), alarm as Alarm]));
  let since = new Date();
  const alarm = (name: string): Alarm => {
    const found = alarms.get(name);
    assert.ok(found, `there is no alarm on ${name}, only on ${[...alarms.keys()].join(", ")}`);
    return found;
  };
  const watch = {
    names: [...alarms.keys()].sort(),
    alarm,
    /** Does something, and gives the value that an alarm sees of it; undefined when there is none. */
    async valueOf(name: string, work: () => Promise<unknown>): Promise<number | undefined> {
      since = new Date();
      await work();
      return valueFor(aws, alarm(name), since);
    },
    /** Those that are in alarm by what was written since the last work began. */
    async raised(): Promise<string[]> {
      const values = await Promise.all([...alarms].map(async ([, one]) => valueFor(aws, one, since)));
      return [...alarms].filter(([, one], index) => isBreached(one, values[index])).map(([name]) => name);
    },
    /** Does `work` again and again until just the wanted one is in alarm, or none. Throws as soon as one beside it and `before` is. */
    async until(wanted: string | undefined, work: () => Promise<unknown>, before = wanted): Promise<void> {
      const isSo = async (): Promise<boolean> => {
        since = new Date();
        await work();
        const raised = await watch.raised();
        const others = raised.filter((name) => name !== wanted && name !== before);
        assert.deepEqual(others, [], `one cause, and other alarms than ${wanted}`);
        return raised.join() === (wanted ?? "");
      };
      await until(`${wanted ?? "none"} is not all that is raised`, isSo, 60_000);
    },
  };
  return watch;
}

const queueOf = ({ Dimensions = [] }: MetricAlarm) => Dimensions.find(({ Name }) => Name === "QueueName")?.Value;

function nameOf(alarm: MetricAlarm): string {
  return queueOf(alarm) ?? `${alarm.ExtendedStatistic || alarm.Statistic} of ${alarm.MetricName}`;
}

/** What an alarm sees of the metrics that were written since. A queue is asked itself, as SQS tells nothing to the emulator's metrics. */
async function valueFor(aws: Aws, alarm: Alarm, since: Date): Promise<number | undefined> {
  const QueueName = queueOf(alarm);
  if (QueueName !== undefined) {
    const { QueueUrl } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName }));
    return aws.waiting(QueueUrl);
  }
  const { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Unit } = alarm;
  const { Datapoints = [] } = await aws.cloudWatch.send(
    new GetMetricStatisticsCommand({
      ...{ Namespace, MetricName, Dimensions, Period: EVER, StartTime: since, EndTime: new Date(Date.now() + 1_000) },
      ...(ExtendedStatistic ? { ExtendedStatistics: [ExtendedStatistic] } : { Statistics: Statistic && [Statistic] }),
    }),
  );
  const [point] = Datapoints;
  // Of another unit CloudWatch finds nothing; the emulator does not look at it.
  if (point && Unit) assert.equal(point.Unit, Unit, `${alarm.AlarmName} asks for another unit than is written`);
  return ExtendedStatistic ? point?.ExtendedStatistics?.[ExtendedStatistic] : Statistic && point?.[Statistic];
}

/** The comparisons on a fixed threshold that CloudWatch has. */
const COMPARISONS: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

function isBreached({ ComparisonOperator, Threshold, TreatMissingData }: Alarm, value: number | undefined): boolean {
  if (value === undefined) return TreatMissingData === "breaching";
  const breaches = COMPARISONS[ComparisonOperator];
  assert.ok(breaches, `${ComparisonOperator} is not known here`);
  return breaches(value, Threshold);
}
