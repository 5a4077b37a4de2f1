import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { createTableInput } from "../../lib/state/table.ts";
import { createApp, synthesize, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const one = synthesize({ sources: [{ baseUrl }] });
it("there is no queue for ticks of a source that is not enabled", () => {
  const seldom = synthesize({ sources: [{ baseUrl, interval: "10s", enabled: false }] });
  seldom.resourceCountIs("AWS::Lambda::EventSourceMapping", 0);
  seldom.resourceCountIs("AWS::SQS::Queue", 1);
  expect(JSON.stringify(seldom.toJSON())).not.toMatch(/TICK_QUEUE_URL|TickWithinMinute/);
});

describe("the state table", () => {
  it("is the one a local endpoint is asked for", () => {
    const { TableName: _, ...keys } = createTableInput("any");
    one.hasResourceProperties("AWS::DynamoDB::Table", keys);
  });
});

describe("what is kept when the stack goes", () => {
  it("is nothing where the stack is to be destroyed with all it holds: the bucket is emptied before it goes", () => {
    const stack = new SurveyPollerStack(createApp(), "Test", {
      config: { sources: [{ baseUrl }] },
      onRemoval: "destroy",
    });
    const template = Template.fromStack(stack);
    const { Resources } = template.toJSON() as { Resources: Record<string, { DeletionPolicy?: string }> };
    const policies = Object.values(Resources).map(({ DeletionPolicy = "Delete" }) => DeletionPolicy);
    expect(new Set(policies)).toEqual(new Set(["Delete"]));
    for (const type of ["DynamoDB::Table", "S3::Bucket", "Events::EventBus", "Events::Archive", "Logs::LogGroup"])
      template.allResources(`AWS::${type}`, { DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
    template.resourceCountIs("Custom::S3AutoDeleteObjects", 1);
  });
});

it("the bus does not log, and there is no archive, where that is switched off", () => {
  const off = synthesize({ sources: [{ baseUrl }], bus: { logging: false, archive: false } });
  off.hasResourceProperties("AWS::Events::EventBus", { LogConfig: Match.absent() });
  expect(off.toJSON().Outputs.ArchiveArn).toBeUndefined();
});

describe("the outputs", () => {
  it("of a construct in a stack of your own have its id in front, or what is wanted instead", () => {
    const names = (outputPrefix: object) => {
      const template = synthesizeOwn(
        (stack) => void new SurveyPoller(stack, "My-Surveys", { sources: [{ baseUrl }], ...outputPrefix }),
      );
      return Object.keys(template.findOutputs("*")).sort();
    };
    const [first, ...rest] = names({});
    expect([first, rest.length]).toEqual(["MySurveysArchiveArn", 10]);
    expect(names({ outputPrefix: "Eu" })[0]).toBe("EuArchiveArn");
  });
});
