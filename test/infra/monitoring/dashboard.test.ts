import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import type { ConfigInput } from "../../../lib/config/index.ts";
import { createApp, synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const several: ConfigInput = {
  sources: [{ baseUrl }, { name: "eu", baseUrl }],
  monitoring: "full",
};

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
