import type { Aws } from "./aws.ts";
import type { Emulator } from "./emulator.ts";

/** An alarm as DescribeAlarms gives it. */
export interface Alarm {
  AlarmName: string;
  AlarmActions: string[];
  Namespace: string;
  MetricName: string;
  Dimensions: { Name: string; Value: string }[];
  Unit?: string | null;
  Statistic?: string | null;
  /** Instead of a statistic, such as `p50`. */
  ExtendedStatistic?: string | null;
  /** Seconds. */
  Period: number;
  EvaluationPeriods: number;
  DatapointsToAlarm?: number;
  ComparisonOperator: string;
  Threshold: number;
  TreatMissingData: string;
}

/** Of a metric, by the beginning of its period in epoch seconds. */
export type Values = ReadonlyMap<number, number>;

/** `kept` is whatever it was before. */
export type AlarmState = "ALARM" | "OK" | "kept";

type Datapoint = { Timestamp: number; Unit: string; ExtendedStatistics?: Record<string, number> } & Record<
  string,
  unknown
>;

/** All alarms of the account, in the order of their names. */
export async function alarmsOf({ cloudWatch }: Aws): Promise<Alarm[]> {
  return (await cloudWatch<{ MetricAlarms: Alarm[] }>("DescribeAlarms", {})).MetricAlarms;
}

/** Lets metrics be dated later from now on. Gives their present in epoch seconds. */
export async function setMetricsAhead({ url }: Emulator, seconds: number): Promise<number> {
  const answer = await fetch(`${url}/_test/clock`, { method: "POST", body: JSON.stringify({ ahead: seconds }) });
  return ((await answer.json()) as { now: number }).now;
}

/** What an alarm's own metric, dimensions, unit and statistic give for the periods that it looks at. */
export async function valuesFor({ cloudWatch }: Aws, alarm: Alarm, now: number): Promise<Values> {
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic, Unit } = alarm;
  const [first = 0] = periodsOf(alarm, now);
  const { Datapoints } = await cloudWatch<{ Datapoints: Datapoint[] }>("GetMetricStatistics", {
    Namespace,
    MetricName,
    Dimensions,
    Period,
    StartTime: first,
    EndTime: now + 1,
    ...(ExtendedStatistic ? { ExtendedStatistics: [ExtendedStatistic] } : { Statistics: [Statistic] }),
  });
  const values = new Map<number, number>();
  for (const point of Datapoints) {
    // Of another unit CloudWatch finds nothing; the emulator does not look at it.
    if (Unit && point.Unit !== Unit) throw new Error(`${alarm.AlarmName} asks for ${Unit}, written is ${point.Unit}`);
    const value = ExtendedStatistic ? point.ExtendedStatistics?.[ExtendedStatistic] : point[String(Statistic)];
    if (typeof value === "number") values.set(point.Timestamp, value);
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
 * `TreatMissingData` says. (The emulator's own evaluation knows neither periods, nor dimensions, nor missing data.)
 */
export function stateOf(alarm: Alarm, values: Values, now: number): AlarmState {
  const { ComparisonOperator, Threshold, TreatMissingData, EvaluationPeriods, DatapointsToAlarm } = alarm;
  const breaches = COMPARISONS[ComparisonOperator];
  if (breaches === undefined) throw new Error(`${ComparisonOperator} is not known here`);
  if (!["breaching", "notBreaching", "ignore"].includes(TreatMissingData)) {
    throw new Error(`missing data treated as ${TreatMissingData} is not known here`);
  }
  if (TreatMissingData === "ignore" && values.size === 0) return "kept";
  const breaching = periodsOf(alarm, now).filter((period) => {
    const value = values.get(period);
    return value === undefined ? TreatMissingData === "breaching" : breaches(value, Threshold);
  });
  return breaching.length >= (DatapointsToAlarm ?? EvaluationPeriods) ? "ALARM" : "OK";
}
