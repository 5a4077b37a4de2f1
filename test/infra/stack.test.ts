import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { ConfigError } from "../../lib/config/index.ts";
import { createTableInput } from "../../lib/state/table.ts";
import { createApp, synthesize, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const one = synthesize({ sources: [{ baseUrl }] });
const several = synthesize({
  sources: [
    { baseUrl, retention: { logs: "7d", claimCheck: "50d" } },
    { name: "eu-2", baseUrl, interval: "5m", enabled: false, retention: { logs: "90d", claimCheck: "100d" } },
  ],
});

describe("the schedules", () => {
  it("are one for each source, each with its own interval and state", () => {
    several.resourceCountIs("AWS::Scheduler::Schedule", 2);
    several.hasResourceProperties("AWS::Scheduler::Schedule", {
      ScheduleExpression: "rate(5 minutes)",
      State: "DISABLED",
      Target: { Input: '{"source":"eu-2","scheduled":true}' },
    });
  });
});

it.each([
  ["a minute apart", {}],
  ["of a source that is not enabled", { interval: "10s", enabled: false }],
])("there is no queue for ticks that are %s", (_what, fields) => {
  const seldom = synthesize({ sources: [{ baseUrl, ...fields }] });
  seldom.resourceCountIs("AWS::Lambda::EventSourceMapping", 0);
  seldom.resourceCountIs("AWS::SQS::Queue", 1);
  expect(JSON.stringify(seldom.toJSON())).not.toMatch(/TICK_QUEUE_URL|TickWithinMinute/);
});

describe("the function", () => {
  it("takes memory and tracing as it is told", () => {
    const config = { sources: [{ baseUrl }] };
    const stack = new SurveyPollerStack(createApp(), "Test", { config, memory: 1024, tracing: true });
    const template = Template.fromStack(stack);
    template.hasResourceProperties("AWS::Lambda::Function", { MemorySize: 1024, TracingConfig: { Mode: "Active" } });
    expect(() => new SurveyPollerStack(createApp(), "Test", { config, memory: 100 })).toThrow(
      "memory: must be a whole number of MB, 128 to 10240",
    );
  });

  it("logs to a group that is kept as long as the source that asks for most", () => {
    several.hasResourceProperties("AWS::Logs::LogGroup", { RetentionInDays: 90 });
  });
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

describe("the claim-check bucket", () => {
  /** Days by prefix. Nothing drops `keys/`, by which people are found. */
  const rules = (all: number, kept: number) => ({
    LifecycleConfiguration: {
      Rules: [
        { ExpirationInDays: Match.absent() },
        ...["answers/", "ids/", "questions/"].map((Prefix) => ({ ExpirationInDays: all, Prefix })),
        { ExpirationInDays: kept, Prefix: "kept/" },
      ],
    },
  });

  it("drops objects after the longest period asked for", () => {
    several.hasResourceProperties("AWS::S3::Bucket", rules(100, 44));
  });

  it("keeps large records in quarantine for as long as they are to be kept, and drops by itself what the poller has left there", () => {
    synthesize({ sources: [{ baseUrl, retention: { quarantine: "90d" } }] }).hasResourceProperties(
      "AWS::S3::Bucket",
      rules(104, 104),
    );
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

  it("have the name of the source appended when there are several", () => {
    several.hasOutput("CredentialsSecretNamemain", { Value: "Test/main/credentials" });
    several.hasOutput("CredentialsSecretNameeu2", { Value: "Test/eu-2/credentials" });
    several.hasOutput("TokenSecretNameeu2", { Value: "Test/eu-2/token" });
  });
});

describe("a configuration that cannot be deployed", () => {
  it("is refused at synthesis", () => {
    expect(() => synthesize({ sources: [{ baseUrl, interval: "25s" }] })).toThrow(ConfigError);
  });
});
