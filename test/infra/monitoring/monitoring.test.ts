import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { describe, expect, it } from "vitest";
import { sourceAlarms } from "../../../infra/monitoring/alarms.ts";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import { SurveyPoller } from "../../../infra/survey-poller.ts";
import { ConfigError, type ConfigInput } from "../../../lib/config/index.ts";
import { metrics, writtenBy } from "../../../lib/monitoring/catalog.ts";
import { createApp, synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

function poller(config: ConfigInput = { sources: [{ baseUrl }] }): SurveyPoller {
  return new SurveyPoller(new Stack(createApp(), "Mine", { stackName: "surveys" }), "Poller", config);
}

function known({ namespace, metricName, statistic, unit, dimensions }: Metric): object {
  return { namespace, metricName, statistic, unit, dimensions };
}
const dimensions = { service: "surveys-Poller", source: "main" };
const full: ConfigInput = { sources: [{ baseUrl }], monitoring: "full" };

describe("the metrics of the construct", () => {
  it.each<[string, (one: SurveyPoller) => Metric, string, string, string]>([
    ["metricDetectionLag", (one) => one.metricDetectionLag(), "DetectionLag", "p50", "Milliseconds"],
    ["metricEmitted", (one) => one.metricEmitted(), "Emitted", "Sum", "Count"],
    ["metricTicks", (one) => one.metricTicks(), "CredentialsProblem", "SampleCount", "Count"],
    ["metricCredentialsProblem", (one) => one.metricCredentialsProblem(), "CredentialsProblem", "Minimum", "Count"],
    ["metricThrottled", (one) => one.metricThrottled(), "Throttled", "Sum", "Count"],
    ["metricWithheld", (one) => one.metricWithheld(), "Withheld", "Sum", "Count"],
    ["metricStalled", (one) => one.metricStalled(), "Stalled", "Maximum", "Milliseconds"],
  ])("%s is what the functions write by default", (_name, get, metricName, statistic, unit) => {
    const expected = { namespace: "SurveyPoller", metricName, statistic, unit, dimensions };
    expect(known(get(poller()))).toEqual(expected);
    expect(writtenBy("minimal").find(({ name }) => name === metricName)?.unit).toBe(unit);
  });

  it.each<[string, (one: SurveyPoller) => Metric, string, string]>([
    ["all requests", (one) => one.metricRequests(), "Requests", "Sum"],
    ["throttled requests", (one) => one.metricRequests({ outcome: "throttled" }), "RequestsThrottled", "Sum"],
    ["failed requests", (one) => one.metricRequests({ outcome: "failed" }), "RequestsFailed", "Sum"],
    ["metricWaiting", (one) => one.metricWaiting(), "Waiting", "Sum"],
    ["metricBehind", (one) => one.metricBehind(), "Behind", "Maximum"],
    ["metricUnaccounted", (one) => one.metricUnaccounted(), "Unaccounted", "Maximum"],
  ])("%s needs full monitoring, and says so", (_name, get, metricName, statistic) => {
    expect(known(get(poller(full)))).toMatchObject({ metricName, statistic, unit: "Count", dimensions });
    expect(() => get(poller())).toThrow(new RegExp(`monitoring\\.level: must be "full": .*${metricName}`));
  });

  it("take the options of any metric", () => {
    const metric = poller().metricDetectionLag({ statistic: "p90", label: "late" });
    expect([metric.statistic, metric.label]).toEqual(["p90", "late"]);
  });

  it("of several sources are of the one that is named", () => {
    const several = poller({ sources: [{ baseUrl }, { name: "eu", baseUrl }] });
    expect(several.metricEmitted({ source: "eu" }).dimensions).toEqual({ ...dimensions, source: "eu" });
    expect(() => several.metricEmitted()).toThrow(ConfigError);
    expect(() => several.metricEmitted({ source: "us" })).toThrow(/source: must be one of "main", "eu"/);
  });

  it("are told apart from those of another deployment that has a source of the same name", () => {
    const stack = new Stack(createApp(), "Mine", { stackName: "surveys-staging" });
    const other = new SurveyPoller(stack, "Poller", { sources: [{ baseUrl }] });
    expect(other.metricEmitted().dimensions).not.toEqual(poller().metricEmitted().dimensions);
  });
});

it("the default costs at most six series a source", () => {
  expect(writtenBy("minimal").length).toBeLessThanOrEqual(6);
  expect(writtenBy("full")).toHaveLength(Object.keys(metrics).length);
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("an alarm's periods", () => {
  const owner = { deployment: "d", sources: [{ name: "main" }], level: "minimal" as const };
  const at = (interval: number) =>
    sourceAlarms(owner, { name: "main", interval }, 30 * MINUTE).map(({ id, window, breaching }) => {
      const { period, periods } = window;
      return { id, minutes: period.toMinutes(), periods, breaching: breaching ?? periods };
    });
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
  ])("at %i ms hold at least one tick each, as far as there are so long ones", (interval, missing, throttled) => {
    expect(of(interval, "NoSuccessfulTick")).toBe(missing);
    expect(of(interval, "Throttled")).toBe(throttled);
  });

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

it("nobody is told without alarms", () => {
  const template = synthesize({ sources: [{ baseUrl }], monitoring: { alarms: false } });
  template.resourceCountIs("AWS::CloudWatch::Alarm", 0);
  template.resourceCountIs("AWS::SNS::Topic", 0);
});

it("the description of an alarm leads to wherever the runbook is kept", () => {
  const runbook = "https://wiki.example.com/runbooks/survey-poller";
  const template = synthesize({ sources: [{ baseUrl }], monitoring: { runbook } });
  const alarms = Object.values(template.findResources("AWS::CloudWatch::Alarm"));
  expect(alarms).toHaveLength(7);
  for (const { Properties } of alarms) expect(Properties.AlarmDescription).toContain(` ${runbook}#`);
});

const several: ConfigInput = { sources: [{ baseUrl }, { name: "eu", baseUrl }], monitoring: "full" };

interface Widget {
  type: string;
  properties: { title?: string; markdown?: string; alarms?: unknown[]; metrics?: unknown[][] };
}

/** The widgets, with what is only known at the deployment as the name of its resource. */
function widgets(config: ConfigInput): Widget[] {
  const [dashboard] = Object.values(synthesize(config).findResources("AWS::CloudWatch::Dashboard"));
  const body = dashboard?.Properties.DashboardBody as { "Fn::Join": [string, unknown[]] };
  const text = body["Fn::Join"][1].map((part) =>
    typeof part === "string" ? part : Object.values(part as object).flat()[0],
  );
  return (JSON.parse(text.join("")) as { widgets: Widget[] }).widgets;
}

describe("the dashboard", () => {
  it.each<[ConfigInput["monitoring"], number]>([
    ["full", 1],
    ["minimal", 0],
    [{ dashboard: true }, 1],
    [{ level: "full", dashboard: false }, 0],
  ])("with %j as monitoring is there so often: %i", (monitoring, count) => {
    synthesize({ sources: [{ baseUrl }], monitoring }).resourceCountIs("AWS::CloudWatch::Dashboard", count);
  });

  it("without full monitoring shows no metric that nobody writes", () => {
    const text = JSON.stringify(widgets({ sources: [{ baseUrl }], monitoring: { dashboard: true } }));
    for (const name of ["Requests", "Waiting", "Behind", "SurveysFailed"]) expect(text).not.toContain(`"${name}"`);
    expect(text).toContain('"Stalled"');
  });

  it("has no more metrics than CloudWatch's free ones may have, with two sources", () => {
    const metrics = widgets(several).flatMap(({ properties }) => properties.metrics ?? []);
    expect(metrics.length).toBeLessThanOrEqual(50);
  });
});

describe("its address", () => {
  const output = (region: string): unknown => {
    const config = { sources: [{ baseUrl }], monitoring: "full" as const };
    const env = { region, account: "123456789012" };
    return Template.fromStack(new SurveyPollerStack(createApp(), "Test", { config, env })).toJSON().Outputs.DashboardUrl
      .Value;
  };

  it.each([
    ["eu-central-1", "console.aws.amazon.com"],
    ["us-gov-west-1", "console.amazonaws-us-gov.com"],
    ["cn-north-1", "console.amazonaws.cn"],
  ])("in %s is at %s", (region, host) => {
    expect(output(region)).toBe(`https://${host}/cloudwatch/home?region=${region}#dashboards/dashboard/Test-Poller`);
  });
});
