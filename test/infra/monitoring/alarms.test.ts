import { readFileSync } from "node:fs";
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
  MetricName: string;
  Namespace: string;
  Statistic?: string;
  ExtendedStatistic?: string;
  Unit?: string;
  Period: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  ComparisonOperator: string;
  Threshold: number;
  TreatMissingData: string;
  Dimensions: { Name: string; Value: unknown }[];
  AlarmActions: unknown[];
  OKActions?: unknown[];
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

/** `Sum(Metric) >= 1, 5 of 6 × 300 s, missing: notBreaching` */
function rule(alarm: AlarmProperties | undefined): string {
  if (alarm === undefined) return "none";
  const operators: Record<string, string> = {
    GreaterThanOrEqualToThreshold: ">=",
    GreaterThanThreshold: ">",
    LessThanThreshold: "<",
  };
  const { MetricName, Statistic, ExtendedStatistic, ComparisonOperator, Threshold, Unit = "any" } = alarm;
  const expression = `${ExtendedStatistic ?? Statistic}(${MetricName}, ${Unit}) ${operators[ComparisonOperator]} ${Threshold}`;
  const window = `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods} × ${alarm.Period} s`;
  return `${expression}, ${window}, missing: ${alarm.TreatMissingData}`;
}

const rules = (alarms: Record<string, AlarmProperties>) =>
  Object.fromEntries(Object.entries(alarms).map(([id, alarm]) => [id, rule(alarm)]));

const minimal: ConfigInput = { sources: [{ baseUrl }] };
describe("the alarms of a source polled each minute", () => {
  it("are these six, by metric, threshold, periods and treatment of missing data", () => {
    expect(rules(alarmsOf(minimal))).toEqual({
      NoSuccessfulTick: "SampleCount(CredentialsProblem, Count) < 1, 3 of 3 × 300 s, missing: breaching",
      CredentialsProblem: "Minimum(CredentialsProblem, Count) >= 1, 1 of 1 × 300 s, missing: ignore",
      DetectionLag: "p50(DetectionLag, Milliseconds) > 1800000, 2 of 4 × 900 s, missing: notBreaching",
      Stalled: "Maximum(Stalled, Milliseconds) > 1800000, 1 of 4 × 900 s, missing: notBreaching",
      Withheld: "Sum(Withheld, Count) >= 1, 1 of 96 × 900 s, missing: notBreaching",
      Throttled: "Sum(Throttled, Count) >= 1, 5 of 6 × 300 s, missing: notBreaching",
    });
  });

  it("are the same with full monitoring: more metrics are to look at, not to wake anybody", () => {
    expect(rules(alarmsOf({ ...minimal, monitoring: "full" }))).toEqual(rules(alarmsOf(minimal)));
  });

  it("look at the metrics of this deployment and this source, by the dimensions that the functions write", () => {
    for (const { Namespace, Dimensions } of Object.values(alarmsOf(minimal))) {
      expect(Namespace).toBe("SurveyPoller");
      expect(Dimensions).toEqual([
        { Name: "service", Value: "Test-Poller" },
        { Name: "source", Value: "main" },
      ]);
    }
    synthesize(minimal).allResourcesProperties("AWS::Lambda::Function", {
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: "Test-Poller" } },
    });
  });

  it("take the lag from which on events are late from the configuration", () => {
    expect(rule(alarmsOf({ ...minimal, monitoring: { lagThreshold: "2h" } }).DetectionLag)).toContain("> 7200000,");
  });
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

  it("are all that is made of the definitions", () => {
    const made = Object.values(alarmsOf({ sources: [{ baseUrl, interval: "3d" }] }));
    expect(made.map(({ DatapointsToAlarm: m, EvaluationPeriods: n, Period }) => [m, n, Period / 60])).toEqual(
      at(3 * DAY).map(({ breaching, periods, minutes }) => [Math.min(breaching, periods), periods, minutes]),
    );
  });
});

describe("the alarm on dead letters", () => {
  it("is made for each webhook and each subscription too, as long as there are alarms", () => {
    const watched = (alarms: boolean): string[] => {
      const webhooks = [{ name: "crm", url: "https://crm.example.com" }];
      const stack = new SurveyPollerStack(createApp(), "Test", {
        config: { ...minimal, monitoring: { alarms }, webhooks },
      });
      stack.poller.onResponseCompleted("Detractors", { target: new SqsQueue(new Queue(stack, "Mine")) });
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

describe("who is told", () => {
  const topicOf = (template: Template): string => Object.keys(template.findResources("AWS::SNS::Topic"))[0] ?? "none";

  it("is a topic, when an alarm is raised and when it is over, but not when a day without withheld ones has passed", () => {
    const template = synthesize(minimal);
    const topic = { Ref: topicOf(template) };
    const alarms = alarmsOf(minimal);
    for (const [id, { AlarmActions, OKActions }] of Object.entries(alarms)) {
      expect(AlarmActions).toEqual([topic]);
      expect(OKActions).toEqual(id === "Withheld" ? undefined : [topic]);
    }
  });

  it("is by the topic whoever subscribes, and the e-mail address of the configuration", () => {
    synthesize(minimal).resourceCountIs("AWS::SNS::Subscription", 0);
    synthesize({ ...minimal, monitoring: { email: "ops@example.com" } }).hasResourceProperties(
      "AWS::SNS::Subscription",
      { Protocol: "email", Endpoint: "ops@example.com" },
    );
  });

  it("is nobody without alarms", () => {
    const template = synthesize({ ...minimal, monitoring: { alarms: false } });
    template.resourceCountIs("AWS::CloudWatch::Alarm", 0);
    template.resourceCountIs("AWS::SNS::Topic", 0);
  });
});

describe("the description of an alarm", () => {
  const headings = new Set(
    readFileSync("docs/runbook.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("#"))
      .map((line) =>
        line
          .replace(/^#+ /, "")
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
      ),
  );
  const all = (config: ConfigInput) => [
    ...Object.values(alarmsOf(config)),
    ...Object.values(alarmsOf(config, "DeadLetters")),
  ];

  it("says of what it is, what is the matter, and leads to its section in the runbook", () => {
    const alarms = all(minimal);
    expect(alarms).toHaveLength(7);
    for (const { AlarmDescription } of alarms) {
      const [, section] =
        /^(?:Source main|Dead letters): .+\. What to do: docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription) ?? [];
      expect(headings).toContain(section);
    }
    expect(new Set(alarms.map(({ AlarmDescription }) => AlarmDescription)).size).toBe(7);
  });

  it("leads to wherever the runbook is kept", () => {
    const runbook = "https://wiki.example.com/runbooks/survey-poller";
    for (const { AlarmDescription } of all({ ...minimal, monitoring: { runbook } })) {
      expect(AlarmDescription).toContain(` ${runbook}#`);
    }
  });
});
