import assert from "node:assert/strict";
import { type Alarm, type AlarmState, alarmsOf, setMetricsAhead, stateOf, valuesFor } from "./alarms.ts";
import type { Aws } from "./aws.ts";
import type { Emulator } from "./emulator.ts";

export interface AlarmWatch {
  readonly names: readonly string[];
  alarm(name: string): Alarm;
  /** Those that are in alarm at present. */
  raised(): Promise<string[]>;
  /** The last value that an alarm looks at; undefined when there is none. */
  value(name: string): Promise<number | undefined>;
  /** Lets so many seconds pass for the metrics. */
  pass(seconds: number): Promise<void>;
  /**
   * Does `work` in one period after the other until just these are in alarm; throws as soon as another one is, or after so many periods as the
   * alarm looks at, and two more. Gives the number of periods.
   */
  until(wanted: readonly string[], work: () => Promise<unknown>, watched?: string): Promise<number>;
}

/** The deployed alarms, each by the metric and statistic it looks at, and of queues by the queue's name. */
export async function watchAlarms(aws: Aws, emulator: Emulator): Promise<AlarmWatch> {
  const alarms = new Map((await alarmsOf(aws)).map((alarm) => [nameOf(alarm), alarm]));
  const states = new Map<string, AlarmState>();
  const find = (name: string): Alarm => {
    const alarm = alarms.get(name);
    assert.ok(alarm, `there is no alarm on ${name}, only on ${[...alarms.keys()].join(", ")}`);
    return alarm;
  };
  const watch: AlarmWatch = {
    names: [...alarms.keys()].sort(),
    alarm: find,
    async raised() {
      const now = await setMetricsAhead(emulator, 0);
      for (const [name, alarm] of alarms) {
        const state = stateOf(alarm, await valuesFor(aws, alarm, now), now);
        if (state !== "kept") states.set(name, state);
      }
      return watch.names.filter((name) => states.get(name) === "ALARM");
    },
    async value(name) {
      const values = await valuesFor(aws, find(name), await setMetricsAhead(emulator, 0));
      return values.get(Math.max(...values.keys()));
    },
    async pass(seconds) {
      await setMetricsAhead(emulator, seconds);
    },
    async until(wanted, work, watched = wanted[0]) {
      const { Period, EvaluationPeriods } = find(watched ?? "");
      for (let periods = 1; ; periods += 1) {
        await work();
        const raised = await watch.raised();
        if (raised.join() === wanted.join()) return periods;
        const others = raised.filter((name) => name !== watched);
        assert.deepEqual(others, [], `one cause, and other alarms than ${watched}`);
        const found = `raised: ${raised.join() || "none"}, last value: ${await watch.value(watched ?? "")}`;
        assert.ok(periods <= EvaluationPeriods + 1, `not as wanted after ${periods} periods; ${found}`);
        await watch.pass(Period);
      }
    },
  };
  return watch;
}

function nameOf({ MetricName, Statistic, ExtendedStatistic, Dimensions }: Alarm): string {
  const queue = Dimensions.find(({ Name }) => Name === "QueueName")?.Value;
  return queue ?? `${ExtendedStatistic || Statistic} of ${MetricName}`;
}
