import { Stack } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../../infra/survey-poller.ts";
import { ConfigError, type ConfigInput } from "../../../lib/config/index.ts";
import { metrics, writtenBy } from "../../../lib/monitoring/catalog.ts";
import { createApp } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

function poller(config: ConfigInput = { sources: [{ baseUrl }] }): SurveyPoller {
  return new SurveyPoller(new Stack(createApp(), "Mine", { stackName: "surveys" }), "Poller", config);
}

const known = ({ namespace, metricName, statistic, unit, dimensions }: Metric) => ({
  namespace,
  metricName,
  statistic,
  unit,
  dimensions,
});
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
