import assert from "node:assert/strict";
import { DescribeAlarmsCommand, GetMetricStatisticsCommand, type MetricAlarm } from "@aws-sdk/client-cloudwatch";
import type { Aws } from "./aws.ts";
import type { Emulator } from "./emulator.ts";

/** An alarm as it is deployed, which has each of these. */
type Alarm = MetricAlarm &
  Required<Pick<MetricAlarm, "Period" | "EvaluationPeriods" | "Threshold" | "ComparisonOperator" | "AlarmActions">>;

export type AlarmWatch = Awaited<ReturnType<typeof watchAlarms>>;

/** The deployed alarms, each by the metric and statistic it looks at, and of queues by the queue's name. */
export async function watchAlarms(aws: Aws, { control }: Emulator) {
  const { MetricAlarms = [] } = await aws.cloudWatch.send(new DescribeAlarmsCommand({}));
  const alarms = new Map(MetricAlarms.map((alarm) => [nameOf(alarm), alarm as Alarm]));
  const states = new Map<string, "ALARM" | "OK">();
  const alarm = (name: string): Alarm => {
    const found = alarms.get(name);
    assert.ok(found, `there is no alarm on ${name}, only on ${[...alarms.keys()].join(", ")}`);
    return found;
  };
  /** Lets metrics be dated so many seconds later from now on. Gives their present in epoch seconds. */
  const pass = (seconds: number): Promise<number> => control(`clock?ahead=${seconds}`);
  const watch = {
    names: [...alarms.keys()].sort(),
    alarm,
    pass,
    /** Those that are in alarm at present. */
    async raised(): Promise<string[]> {
      const now = await pass(0);
      for (const [name, one] of alarms) {
        const state = stateOf(one, await valuesFor(aws, one, now), now);
        if (state !== "kept") states.set(name, state);
      }
      return watch.names.filter((name) => states.get(name) === "ALARM");
    },
    /** The last value that an alarm looks at; undefined when there is none. */
    async value(name: string): Promise<number | undefined> {
      const values = await valuesFor(aws, alarm(name), await pass(0));
      return values.get(Math.max(...values.keys()));
    },
    /**
     * Does `work` in one period of the watched alarm after the other until just the wanted ones are in alarm. Throws as soon as another one is, or
     * after so many periods as the alarm looks at, and two more. Gives the number of periods.
     */
    async until(wanted: readonly string[], work: () => Promise<unknown>, watched = wanted[0] ?? ""): Promise<number> {
      const { Period, EvaluationPeriods } = alarm(watched);
      for (let periods = 1; ; periods += 1) {
        await work();
        const raised = await watch.raised();
        if (raised.join() === wanted.join()) return periods;
        const others = raised.filter((name) => name !== watched);
        assert.deepEqual(others, [], `one cause, and other alarms than ${watched}`);
        const found = `raised: ${raised.join() || "none"}, last value: ${await watch.value(watched)}`;
        assert.ok(periods <= EvaluationPeriods + 1, `not as wanted after ${periods} periods; ${found}`);
        await pass(Period);
      }
    },
  };
  return watch;
}

function nameOf({ MetricName, Statistic, ExtendedStatistic, Dimensions = [] }: MetricAlarm): string {
  const queue = Dimensions.find(({ Name }) => Name === "QueueName")?.Value;
  return queue ?? `${ExtendedStatistic || Statistic} of ${MetricName}`;
}

/** What an alarm's own metric, dimensions, unit and statistic give, by the beginning of each period that it looks at, in epoch seconds. */
async function valuesFor({ cloudWatch }: Aws, alarm: Alarm, now: number): Promise<ReadonlyMap<number, number>> {
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic, Unit } = alarm;
  const [first = 0] = periodsOf(alarm, now);
  const { Datapoints = [] } = await cloudWatch.send(
    new GetMetricStatisticsCommand({
      ...{ Namespace, MetricName, Dimensions, Period },
      StartTime: new Date(first * 1000),
      EndTime: new Date((now + 1) * 1000),
      ...(ExtendedStatistic ? { ExtendedStatistics: [ExtendedStatistic] } : { Statistics: Statistic && [Statistic] }),
    }),
  );
  const values = new Map<number, number>();
  for (const point of Datapoints) {
    // Of another unit CloudWatch finds nothing; the emulator does not look at it.
    if (Unit && point.Unit !== Unit) throw new Error(`${alarm.AlarmName} asks for ${Unit}, written is ${point.Unit}`);
    const value = ExtendedStatistic ? point.ExtendedStatistics?.[ExtendedStatistic] : Statistic && point[Statistic];
    if (typeof value === "number") values.set(Number(point.Timestamp) / 1000, value);
  }
  return values;
}

/** The beginnings of the periods that an alarm looks at, the present one last, in epoch seconds. */
function periodsOf({ Period, EvaluationPeriods }: Alarm, now: number): number[] {
  const last = Math.floor(now / Period) * Period;
  return Array.from({ length: EvaluationPeriods }, (_, i) => last - (EvaluationPeriods - 1 - i) * Period);
}

/** Whether a value breaches: of the comparisons CloudWatch has, those on a fixed threshold. */
const COMPARISONS: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

/**
 * The state of an alarm by its own expression, as CloudWatch comes to it: so many of the periods must breach, and one without a value counts as
 * `TreatMissingData` says. `kept` is whatever it was before. (The emulator's own evaluation knows neither periods, nor dimensions, nor missing data.)
 */
function stateOf(alarm: Alarm, values: ReadonlyMap<number, number>, now: number): "ALARM" | "OK" | "kept" {
  const { ComparisonOperator, Threshold, TreatMissingData = "", EvaluationPeriods, DatapointsToAlarm } = alarm;
  const breaches = COMPARISONS[ComparisonOperator];
  assert.ok(breaches, `${ComparisonOperator} is not known here`);
  assert.ok(
    ["breaching", "notBreaching", "ignore"].includes(TreatMissingData),
    `${TreatMissingData} is not known here`,
  );
  if (TreatMissingData === "ignore" && values.size === 0) return "kept";
  const breaching = periodsOf(alarm, now).filter((period) => {
    const value = values.get(period);
    return value === undefined ? TreatMissingData === "breaching" : breaches(value, Threshold);
  });
  return breaching.length >= (DatapointsToAlarm ?? EvaluationPeriods) ? "ALARM" : "OK";
}
