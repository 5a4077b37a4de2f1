import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { createBusCompanions } from "../../infra/bus.ts";
import type { SurveyPollerProps } from "../../infra/props.ts";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";
import { createTableInput } from "../../lib/state/table.ts";
import type { Statement } from "./support/policies.ts";
import { createApp, synthesize, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const sources = [{ baseUrl }];
const env = { account: "111111111111", region: "eu-west-1" };

it("there is no queue for ticks of a source that is not enabled", () => {
  const seldom = synthesize({ sources: [{ baseUrl, interval: "10s", enabled: false }] });
  seldom.resourceCountIs("AWS::Lambda::EventSourceMapping", 0);
  seldom.resourceCountIs("AWS::SQS::Queue", 1);
  expect(JSON.stringify(seldom.toJSON())).not.toMatch(/TICK_QUEUE_URL|TickWithinMinute/);
});

it("the state table is the one a local endpoint is asked for", () => {
  const { TableName: _, ...keys } = createTableInput("any");
  synthesize({ sources }).hasResourceProperties("AWS::DynamoDB::Table", keys);
});

it("nothing is kept where the stack is to be destroyed with all it holds: the bucket is emptied before it goes", () => {
  const template = Template.fromStack(
    new SurveyPollerStack(createApp(), "Test", { config: { sources }, onRemoval: "destroy" }),
  );
  const { Resources } = template.toJSON() as { Resources: Record<string, { DeletionPolicy?: string }> };
  const policies = Object.values(Resources).map(({ DeletionPolicy = "Delete" }) => DeletionPolicy);
  expect(new Set(policies)).toEqual(new Set(["Delete"]));
  for (const type of ["DynamoDB::Table", "S3::Bucket", "Events::EventBus", "Events::Archive", "Logs::LogGroup"])
    template.allResources(`AWS::${type}`, { DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
  template.resourceCountIs("Custom::S3AutoDeleteObjects", 1);
});

it("the outputs of a construct in a stack of your own have its id in front, or what is wanted instead", () => {
  const names = (outputPrefix: object) => {
    const template = synthesizeOwn((stack) => new SurveyPoller(stack, "My-Surveys", { sources, ...outputPrefix }));
    return Object.keys(template.findOutputs("*")).sort();
  };
  const [first, ...rest] = names({});
  expect([first, rest.length]).toEqual(["MySurveysArchiveArn", 10]);
  expect(names({ outputPrefix: "Eu" })[0]).toBe("EuArchiveArn");
});

describe("beside a bus", () => {
  /** Everything there, without the poller. */
  function templateOf(config: Record<string, unknown> = {}, busName = "surveys"): Template {
    const stack = new Stack(createApp(), "Test");
    createBusCompanions(stack, {
      bus: new EventBus(stack, "Bus", { eventBusName: busName }),
      busName,
      config: parseConfig({ sources, ...config }, { deployed: true }),
      isOwn: true,
      logDays: 7,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return Template.fromStack(stack);
  }

  it("the registry has a schema of its own for each of two event sources that differ in a slash", () => {
    const eventSources = ["a/b", "a-b", "a--b"];
    const template = templateOf({
      sources: eventSources.map((eventSource, i) => ({ baseUrl, name: `source-${i}`, eventSource })),
    });
    const schemas = Object.values(template.findResources("AWS::EventSchemas::Schema"));
    expect(new Set(schemas.map(({ Properties }) => Properties.SchemaName)).size).toBe(3 * EVENT_TYPES.length);
  });

  it("the registry has a name that a registry may have, whatever that of the bus", () => {
    const template = templateOf({ bus: { archive: false, logging: false } }, "b".repeat(256));
    template.hasResourceProperties("AWS::EventSchemas::Registry", { RegistryName: "b".repeat(64) });
  });

  it.each([
    ["archive", /^AWS::Events::Archive$/],
    ["schemaRegistry", /^AWS::EventSchemas::/],
    ["logging", /^AWS::Logs::/],
  ])("what a region lacks can be switched off, alone: %s", (name, types) => {
    const typesOf = (template: Template) =>
      Object.values<{ Type: string }>(template.toJSON().Resources).map(({ Type }) => Type);
    const left = typesOf(templateOf({ bus: { [name]: false } }));
    expect(left).toEqual(typesOf(templateOf()).filter((type) => !types.test(type)));
  });

  it("and the bus itself: it does not log, and there is no output of an archive", () => {
    const off = synthesize({ sources, bus: { logging: false, archive: false } });
    off.hasResourceProperties("AWS::Events::EventBus", { LogConfig: Match.absent() });
    expect(off.toJSON().Outputs.ArchiveArn).toBeUndefined();
  });
});

describe("the policy of a key", () => {
  it("gets its statements also where the key lives in another stack of the app", () => {
    const app = createApp();
    const keys = new Stack(app, "Keys");
    const encryptionKey = new Key(keys, "Key");
    new SurveyPoller(new Stack(app, "Own"), "Poller", { sources, encryptionKey });
    const [key] = Object.values(Template.fromStack(keys).findResources("AWS::KMS::Key"));
    const statements: Statement[] = key?.Properties.KeyPolicy.Statement;
    expect(statements.filter(({ Sid }) => Sid?.startsWith("SurveyPoller"))).toHaveLength(7);
  });

  it("that is imported is left as it is", () => {
    const arn = "arn:aws:kms:eu-west-1:111111111111:key/12345678-1234-1234-1234-123456789012";
    const imported = synthesizeOwn(
      (stack) => new SurveyPoller(stack, "Poller", { sources, encryptionKey: Key.fromKeyArn(stack, "Imported", arn) }),
    );
    imported.resourceCountIs("AWS::KMS::Key", 0);
    imported.allResourcesProperties("AWS::SQS::Queue", { KmsMasterKeyId: arn });
  });
});

it("credentials that are there already are refused where more are given by props than a function can be told", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ name: `${"x".repeat(60)}${index}`, baseUrl }));
  const secrets = Object.fromEntries(many.map(({ name }) => [name, `team/${name}`]));
  const make = () => synthesizeOwn((stack) => new SurveyPoller(stack, "Surveys", { sources: many, secrets }));
  expect(make).toThrow(expect.objectContaining({ message: expect.stringMatching(/secrets: too many/) }));
});

describe("a bus of another account", () => {
  const foreign = (stack: Stack) =>
    EventBus.fromEventBusArn(stack, "Central", "arn:aws:events:eu-west-1:222222222222:event-bus/central");

  it("cannot have an archive, webhooks or a policy made here: each is named", () => {
    const others = {
      webhooks: [{ name: "hook", url: "https://hooks.example.com" }],
      subscribers: { accounts: ["333333333333"] },
    };
    const make = () =>
      synthesizeOwn(
        (stack) => new SurveyPoller(stack, "Poller", { eventBus: foreign(stack), sources, ...others }),
        env,
      );
    expect(make).toThrow(/bus\.archive: .*webhooks: .*subscribers: /);
  });

  it("gets the events all the same, and no rule of here, which would look for a bus of its name in this account", () => {
    synthesizeOwn((stack) => {
      const bus = { archive: false };
      const poller = new SurveyPoller(stack, "Poller", { eventBus: foreign(stack), sources, bus });
      const target = new SqsQueue(new Queue(stack, "Queue"));
      expect(() => poller.onResponseCompleted("Any", { target })).toThrow(/onResponseCompleted: cannot be had/);
    }, env);
  });
});

it("two pollers of one account share a bus without a name in common", () => {
  const namesOf = (name: string) => {
    const stack = new Stack(createApp(), name);
    const eventBus = EventBus.fromEventBusName(stack, "Bus", "shared");
    new SurveyPoller(stack, "Poller", { eventBus, sources });
    const template = Template.fromStack(stack);
    return ["AWS::SSM::Parameter", "AWS::EventSchemas::Registry"].flatMap((type) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties.Name ?? Properties.RegistryName),
    );
  };
  const [one, other] = [namesOf("One"), namesOf("Other")];
  expect(one).toHaveLength(2);
  expect(one.filter((name) => other.includes(name))).toEqual([]);
});

describe("what is left out", () => {
  const timeZone = "Europe/Warsaw";
  function leftOut(props: Omit<SurveyPollerProps, "sources">, source: object = {}): readonly string[] {
    const stack = new Stack(createApp(), "Own");
    return new SurveyPoller(stack, "Surveys", { ...props, sources: [{ baseUrl, ...source }] }).leftOut;
  }
  const alarms = "alarms tell nobody: give monitoring.email, or subscribe to the topic";
  const zone = 'source "main" has no timeZone: events carry local times, and no instants';
  const ip = 'source "main" has privacy.ip "keep": events, archive and subscribers get whole IP addresses';

  it("is said of each default that leaves something out, in a line of its own", () => {
    expect(leftOut({})).toEqual([alarms, zone]);
  });

  it("is not said of alarms that somebody is told of, or that there are none of", () => {
    const topic = new Topic(new Stack(createApp(), "Pagers"), "Pager");
    for (const props of [{ monitoring: { email: "ops@example.com" } }, { monitoring: { alarms: false } }])
      expect(leftOut(props)).not.toContain(alarms);
    expect(leftOut({ alarmTopic: topic })).not.toContain(alarms);
  });

  it("names the choice to keep whole IP addresses", () => {
    expect(leftOut({}, { timeZone, privacy: { ip: "truncate" } })).toEqual([alarms]);
    expect(leftOut({}, { timeZone, privacy: { ip: "keep" } })).toEqual([alarms, ip]);
  });

  it.each([
    [{}, 1],
    [{ timeZone }, 0],
    [{ startFrom: "beginning" }, 0],
  ])("a source that starts from now in a zone that nobody knows is warned of: %j %i times", (source, times) => {
    const poller = new SurveyPoller(new Stack(createApp(), "Own"), "Surveys", { sources: [{ baseUrl, ...source }] });
    const found = poller.node.metadata.filter(({ data }) => String(data).includes("starts from now"));
    expect(found.map(({ type }) => type)).toEqual(Array(times).fill("aws:cdk:warning"));
  });
});
