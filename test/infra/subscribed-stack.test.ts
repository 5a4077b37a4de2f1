import type { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Code, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import type { ConfigInput } from "../../lib/config/index.ts";
import { createApp, synthesize } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const url = "https://crm.example.com/hook";
const where = { data: { summary: { nps: { class: ["detractor"] } } } } as const;
const everything: ConfigInput = {
  sources: [{ baseUrl }, { baseUrl, name: "b", eventSource: "team/b" }],
  subscribers: { accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" },
  webhooks: [
    { name: "header", url, where, auth: { type: "header", secret: "crm" } },
    { name: "bearer", url, auth: { type: "bearer", secret: "crm" } },
    { name: "basic", url, auth: { type: "basic", secret: "crm" } },
    { name: "open", url },
  ],
};

function createStack(): { app: App; stack: SurveyPollerStack } {
  const app = createApp();
  return { app, stack: new SurveyPollerStack(app, "Test", { config: everything }) };
}

/** Partitions of all ARNs in the template for a region. The CDK refuses what it knows the region not to have. */
function partitions(region: string, config: ConfigInput): string[] {
  const stack = new SurveyPollerStack(createApp(), "Test", { config, env: { account: "123456789012", region } });
  const text = JSON.stringify(Template.fromStack(stack).toJSON());
  return [...new Set([...text.matchAll(/\barn:([a-z-]+):/g)].map(([, partition = ""]) => partition))];
}

describe("a stack with everything on", () => {
  it("goes to a region without schema registry, where that is switched off", () => {
    expect(() => partitions("ca-west-1", everything)).toThrow("'AWS::EventSchemas::Registry' does not exist");
    expect(partitions("ca-west-1", { ...everything, bus: { schemaRegistry: false } })).toEqual(["aws"]);
  });
});

describe("onResponseCompleted()", () => {
  it("gives the rule, and keeps each subscription by its id", () => {
    const { stack } = createStack();
    const lambda = new Lambda(stack, "Function", {
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromInline("exports.handler = async () => {};"),
    });
    const rule = stack.poller.onResponseCompleted("Detractors", { where, target: new LambdaFunction(lambda) });
    stack.poller.onResponseCompleted("All", { target: new LambdaFunction(lambda), description: "For the records" });
    expect([...stack.poller.subscriptions.keys()]).toEqual(["Detractors", "All"]);
    expect(stack.poller.subscriptions.get("Detractors")?.rule).toBe(rule);

    const template = Template.fromStack(stack);
    template.hasResourceProperties("AWS::Events::Rule", {
      EventBusName: { Ref: Match.stringLikeRegexp("^PollerBus") },
      EventPattern: { source: ["survey-poller", "team/b"], detail: where },
    });
    template.hasResourceProperties("AWS::Events::Rule", { Description: "For the records" });
    // Two here, two for each webhook, one for the ticks.
    template.resourcePropertiesCountIs("AWS::SQS::Queue", { MessageRetentionPeriod: 1_209_600 }, 2 + 2 * 4 + 1);
  });
});

it("the bus does not log, and there is no archive, where that is switched off", () => {
  const off = synthesize({ sources: [{ baseUrl }], bus: { logging: false, archive: false } });
  off.hasResourceProperties("AWS::Events::EventBus", { LogConfig: Match.absent() });
  expect(off.toJSON().Outputs.ArchiveArn).toBeUndefined();
});

describe("a webhook's pattern", () => {
  it("is held against the contract, together with everything else that is wrong", () => {
    const webhooks = [{ name: "crm", url, where: { data: { surveyID: [1] } }, ratePerSecond: 0 }];
    expect(() => synthesize({ sources: [{ baseUrl }], webhooks })).toThrow(
      /webhooks\[0\]\.ratePerSecond: .*webhooks\[0\]\.where\.data\.surveyID: unknown field, did you mean "surveyId"\?/,
    );
  });
});
