import { Template } from "aws-cdk-lib/assertions";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { sourceAlarms } from "../../../infra/monitoring/alarms.ts";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import type { ConfigInput } from "../../../lib/config/index.ts";
import { createApp, synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface AlarmProperties {
  AlarmDescription: string;
  Period: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  Threshold: number;
  Dimensions: { Name: string; Value: unknown }[];
}

/** The alarms of a source, or of the queues, by the last part of their names. */
function alarmsOf(config: ConfigInput, name = "main"): Record<string, AlarmProperties> {
  const found = synthesize(config).findResources("AWS::CloudWatch::Alarm");
  const pattern = new RegExp(`^PollerMonitoringAlarm${name}(.*?)[0-9A-F]{8}$`);
  return Object.fromEntries(
    Object.entries(found).flatMap(([id, { Properties }]) => {
      const [, last] = pattern.exec(id) ?? [];
      return last === undefined ? [] : [[last, Properties as AlarmProperties]];
    }),
  );
}

const minimal: ConfigInput = { sources: [{ baseUrl }] };

it("the lag from which on events are late is that of the configuration", () => {
  expect(alarmsOf({ ...minimal, monitoring: { lagThreshold: "2h" } }).DetectionLag?.Threshold).toBe(7_200_000);
});

describe("an alarm's periods", () => {
  const owner = { deployment: "d", sources: [{ name: "main" }], level: "minimal" as const };
  const at = (interval: number) =>
    sourceAlarms(owner, { name: "main", interval }, 30 * MINUTE).map(
      ({ id, window: { period, periods }, breaching }) => ({
        id,
        minutes: period.toMinutes(),
        periods,
        breaching: breaching ?? periods,
      }),
    );
  const of = (interval: number, id: string) => {
    const found = at(interval).find((alarm) => alarm.id === id);
    return found && `${found.breaching} of ${found.periods} × ${found.minutes} min`;
  };

  it.each([
    [5 * MINUTE, "3 of 3 × 5 min", "5 of 6 × 5 min"],
    [20 * MINUTE, "3 of 3 × 20 min", "5 of 6 × 20 min"],
    [6 * 60 * MINUTE, "3 of 3 × 360 min", "5 of 6 × 360 min"],
    [DAY, "3 of 3 × 1440 min", "5 of 6 × 1440 min"],
    [3 * DAY, "4 of 4 × 1440 min", "5 of 6 × 1440 min"],
  ])(
    "at an interval of %i ms hold at least one tick each, as far as there are so long ones",
    (interval, missing, throttled) => {
      expect(of(interval, "NoSuccessfulTick")).toBe(missing);
      expect(of(interval, "Throttled")).toBe(throttled);
    },
  );

  it.each([1, 7, 16, 59, 60, 61, 23 * 60, 24 * 60, 6 * 24 * 60, 30 * 24 * 60])(
    "at an interval of %i minutes are no more than CloudWatch looks back",
    (minutes) => {
      for (const { minutes: period, periods } of at(minutes * MINUTE)) {
        expect(period).toBeLessThanOrEqual(24 * 60);
        expect(period * periods).toBeLessThanOrEqual(period < 60 ? 24 * 60 : 7 * 24 * 60);
        expect(periods).toBeGreaterThan(0);
      }
    },
  );

  it("beyond that cannot tell missing ticks, which synthesis says", () => {
    expect(of(6 * DAY, "NoSuccessfulTick")).toBeDefined();
    expect(of(7 * DAY, "NoSuccessfulTick")).toBeUndefined();
    const stack = new SurveyPollerStack(createApp(), "Test", {
      config: { sources: [{ baseUrl, interval: "7d", timeZone: "UTC" }] },
    });
    const [warning] = stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type.endsWith("warning"));
    expect(String(warning?.data)).toContain('source "main": its interval is longer than an alarm looks back');
  });
});

describe("the alarm on dead letters", () => {
  it("is made for each webhook and each subscription too, as long as there are alarms", () => {
    const watched = (alarms: boolean): string[] => {
      const webhooks = [{ name: "crm", url: "https://crm.example.com" }];
      const stack = new SurveyPollerStack(createApp(), "Test", {
        config: { ...minimal, monitoring: { alarms }, webhooks },
      });
      const rule = stack.poller.onResponseCompleted("Detractors", { target: new SqsQueue(new Queue(stack, "Mine")) });
      expect(stack.poller.subscriptions.get("Detractors")?.rule).toBe(rule);
      return Object.values(Template.fromStack(stack).findResources("AWS::CloudWatch::Alarm"))
        .filter(({ Properties }) => Properties.MetricName === "ApproximateNumberOfMessagesVisible")
        .map(({ Properties }) => Properties.AlarmDescription)
        .sort();
    };
    const tail = "holds some. What to do: docs/runbook.md#dead-letters";
    expect(watched(true)).toEqual([
      `Dead letters: the queue of subscription Detractors ${tail}`,
      `Dead letters: the queue of the poller ${tail}`,
      `Dead letters: the queue of webhook crm ${tail}`,
    ]);
    expect(watched(false)).toEqual([]);
  });
});

describe("several sources", () => {
  const sources = [
    { baseUrl, interval: "5m" },
    { name: "eu-2", baseUrl },
    { name: "old", baseUrl, enabled: false },
  ];

  it("have alarms each, but none that is not enabled, which would always be missing ticks", () => {
    synthesize({ sources }).resourceCountIs("AWS::CloudWatch::Alarm", 2 * 6 + 1);
    expect(Object.keys(alarmsOf({ sources }, "old"))).toEqual([]);
    expect(alarmsOf({ sources }, "eu2").Stalled?.Dimensions).toContainEqual({ Name: "source", Value: "eu-2" });
  });
});

it("nobody is told without alarms", () => {
  const template = synthesize({ ...minimal, monitoring: { alarms: false } });
  template.resourceCountIs("AWS::CloudWatch::Alarm", 0);
  template.resourceCountIs("AWS::SNS::Topic", 0);
});

it("the description of an alarm leads to wherever the runbook is kept", () => {
  const runbook = "https://wiki.example.com/runbooks/survey-poller";
  const alarms = Object.values(alarmsOf({ ...minimal, monitoring: { runbook } }));
  expect(alarms).toHaveLength(6);
  for (const { AlarmDescription } of alarms) expect(AlarmDescription).toContain(` ${runbook}#`);
});
