import { Stack, Validations } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { createApp, synthesize } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const sourcesOf = (count: number, credentialsSecret?: string) =>
  Array.from({ length: count }, (_, index) => ({
    name: `customer-${index}`,
    baseUrl,
    interval: "5m",
    timeZone: "UTC",
    ...(credentialsSecret === undefined ? {} : { credentialsSecret }),
  }));

/** What CloudFormation takes of one template. */
const MOST = { Resources: 500, Outputs: 200, Parameters: 200 };
/** Characters of the policies of a role: one of its own, and ten managed ones. */
const MOST_POLICY = 10_240;

function synthesized(count: number, credentialsSecret?: string) {
  const app = createApp();
  const stack = new SurveyPollerStack(app, "Test", {
    config: { sources: sourcesOf(count, credentialsSecret), monitoring: "full" },
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
  const nested = stack.node.findAll().filter((one): one is Stack => one instanceof Stack && one !== stack);
  const templates = nested.map((one) => [one.node.id, Template.fromStack(one)] as const);
  return { root: Template.fromStack(stack), nested: templates };
}

const count = (templates: readonly Template[], type: string): number =>
  templates.reduce((sum, template) => sum + Object.keys(template.findResources(type)).length, 0);

describe("200 sources in one stack", () => {
  const { root, nested } = synthesized(200);
  const all = [root, ...nested.map(([, template]) => template)];

  it("fit into what CloudFormation takes, each with all that is its own", () => {
    for (const template of all) {
      const sections = template.toJSON();
      for (const [section, most] of Object.entries(MOST))
        expect(Object.keys(sections[section] ?? {}).length).toBeLessThanOrEqual(most);
      expect(JSON.stringify(sections).length).toBeLessThan(1_000_000);
    }
    expect(count(all, "AWS::Scheduler::Schedule")).toBe(200);
    expect(count(all, "AWS::CloudWatch::Alarm")).toBe(200 * 6 + 1);
    expect(count([root], "AWS::SecretsManager::Secret")).toBe(400);
  });

  it("leave the function's environment as it is with one, and its role with one policy", () => {
    const [lambda] = Object.values(root.findResources("AWS::Lambda::Function"));
    const [one] = Object.values(synthesize({ sources: [{ baseUrl }] }).findResources("AWS::Lambda::Function"));
    const variables = lambda?.Properties.Environment.Variables;
    expect(Object.keys(variables)).toEqual(Object.keys(one?.Properties.Environment.Variables));
    expect(JSON.stringify(variables)).not.toContain("customer");
    expect(count(all, "AWS::IAM::ManagedPolicy")).toBe(0);
    for (const policy of Object.values(root.findResources("AWS::IAM::Policy")))
      expect(JSON.stringify(policy.Properties.PolicyDocument).length).toBeLessThan(MOST_POLICY);
  });

  it("may read the secrets that the stack has made, and write tokens alone", () => {
    const secret = (pattern: string) => ({ "Fn::Join": ["", Match.arrayWith([Match.stringLikeRegexp(pattern)])] });
    const [credentials, token] = ["credentials", "token"].map((kind) => secret(`^:secret:Test/\\*/${kind}-\\?{6}$`));
    root.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Sid: "ReadSecrets", Resource: [credentials, token] }),
          Match.objectLike({ Sid: "KeepToken", Resource: token }),
        ]),
      },
    });
  });

  it("have a dashboard that looks for their metrics", () => {
    const [dashboard] = Object.values(root.findResources("AWS::CloudWatch::Dashboard"));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    expect(body).toMatch(/SEARCH\('\{SurveyPoller,service,source\} MetricName=.{1,9}Emitted/);
    expect(body).not.toContain("customer-7");
  });

  it("and one more changes one nested stack alone", () => {
    const before = new Map(nested.map(([id, template]) => [id, JSON.stringify(template.toJSON())]));
    const changed = synthesized(201).nested.filter(([id, one]) => JSON.stringify(one.toJSON()) !== before.get(id));
    expect(changed).toHaveLength(1);
  });
});

describe("sources that share one secret", () => {
  it("have no credentials secret of their own, and one name in the policy", () => {
    const { root } = synthesized(41, "customers");
    root.resourceCountIs("AWS::SecretsManager::Secret", 41);
    expect(JSON.stringify(root.findResources("AWS::IAM::Policy")).match(/secret:customers-/g)).toHaveLength(1);
  });
});

describe("the schedules of several sources", () => {
  const windows = (sources: object[]): unknown[] => {
    const schedules = synthesize({ sources: sources as never }).findResources("AWS::Scheduler::Schedule");
    return Object.values(schedules).map(({ Properties }) => Properties.FlexibleTimeWindow);
  };
  const flexible = (minutes: number) => ({ Mode: "FLEXIBLE", MaximumWindowInMinutes: minutes });

  it.each([
    ["1m", { Mode: "OFF" }],
    ["4m", { Mode: "OFF" }],
    ["5m", flexible(1)],
    ["1h", flexible(12)],
    ["1d", flexible(15)],
  ])("of %s come within %j", (interval, window) => {
    const [first] = windows([
      { name: "a", baseUrl, interval },
      { name: "b", baseUrl },
    ]);
    expect(first).toEqual(window);
  });

  it("of one alone come on time", () => {
    expect(windows([{ baseUrl, interval: "1h" }])).toEqual([{ Mode: "OFF" }]);
  });
});
