import { CfnParameter, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { importVpc } from "./support/existing.ts";
import { createApp, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

describe("in a VPC", () => {
  const egressOf = (sources: [{ baseUrl: string }], proxy?: string): unknown => {
    const template = synthesizeOwn((stack) => {
      new SurveyPoller(stack, "Surveys", { sources, vpc: importVpc(stack), ...(proxy === undefined ? {} : { proxy }) });
    });
    const [group] = Object.values(template.findResources("AWS::EC2::SecurityGroup"));
    expect(group?.Properties.SecurityGroupIngress).toBeUndefined();
    return group?.Properties.SecurityGroupEgress.map((rule: { FromPort: number; ToPort: number; CidrIp: string }) => [
      rule.FromPort,
      rule.ToPort,
      rule.CidrIp,
    ]);
  };

  it("a security group lets out https and the ports of the service and of its proxy, and nothing in", () => {
    expect(egressOf([{ baseUrl }])).toEqual([[443, 443, "0.0.0.0/0"]]);
    expect(egressOf([{ baseUrl: "https://surveys.example.com:8443" }], "http://proxy.example.com")).toEqual([
      [80, 80, "0.0.0.0/0"],
      [443, 443, "0.0.0.0/0"],
      [8443, 8443, "0.0.0.0/0"],
    ]);
  });

  it("subnets can be chosen", () => {
    const template = synthesizeOwn((stack) => {
      const vpc = importVpc(stack);
      new SurveyPoller(stack, "Surveys", { sources: [{ baseUrl }], vpc, vpcSubnets: { subnets: vpc.isolatedSubnets } });
    });
    template.allResourcesProperties("AWS::Lambda::Function", {
      VpcConfig: Match.objectLike({ SubnetIds: ["subnet-0123456789abcdefc", "subnet-0123456789abcdefd"] }),
    });
  });
});

describe("a proxy", () => {
  it("may be known at deployment only", () => {
    const template = synthesizeOwn((stack) => {
      const proxy = new CfnParameter(stack, "ProxyUrl").valueAsString;
      new SurveyPoller(stack, "Surveys", { sources: [{ baseUrl }], proxy });
    });
    template.allResourcesProperties("AWS::Lambda::Function", {
      Environment: { Variables: Match.objectLike({ SURVEY_PROXY: { Ref: "ProxyUrl" } }) },
    });
  });
});

describe("credentials that are there already", () => {
  const variables = (of: ReturnType<typeof synthesizeOwn>): Record<string, unknown> => {
    const [lambda] = Object.values(of.findResources("AWS::Lambda::Function"));
    return lambda?.Properties.Environment.Variables;
  };

  it("may be given by name, or as a secret of the app", () => {
    const template = synthesizeOwn((stack) => {
      const secret = new Secret(stack, "Mine", { secretName: "mine" });
      const secrets = { main: "team/surveys", b: secret };
      new SurveyPoller(stack, "Surveys", { sources: [{ baseUrl }, { name: "b", baseUrl }], secrets });
    });
    template.resourceCountIs("AWS::SecretsManager::Secret", 3);
    const text = JSON.stringify(variables(template).CREDENTIALS_SECRETS);
    expect(text).toContain("team/surveys");
    expect(text).toMatch(/"Ref":"Mine[0-9A-F]{8}"/);
  });

  it("are refused where more are given by props than a function can be told", () => {
    const sources = Array.from({ length: 30 }, (_, index) => ({ name: `${"x".repeat(60)}${index}`, baseUrl }));
    const secrets = Object.fromEntries(sources.map(({ name }) => [name, `team/${name}`]));
    const make = () => synthesizeOwn((stack) => void new SurveyPoller(stack, "Surveys", { sources, secrets }));
    expect(make).toThrow(expect.objectContaining({ message: expect.stringMatching(/secrets: too many/) }));
  });
});

describe("a bus of another account", () => {
  const foreign = (stack: Stack) =>
    EventBus.fromEventBusArn(stack, "Central", "arn:aws:events:eu-west-1:222222222222:event-bus/central");
  const inAccount = () => new Stack(createApp(), "Own", { env: { account: "111111111111", region: "eu-west-1" } });

  it("cannot have an archive, webhooks or a policy made here: each is named", () => {
    const stack = inAccount();
    const make = () =>
      new SurveyPoller(stack, "Poller", {
        eventBus: foreign(stack),
        sources: [{ baseUrl }],
        webhooks: [{ name: "hook", url: "https://hooks.example.com" }],
        subscribers: { accounts: ["333333333333"] },
      });
    expect(make).toThrow(/bus\.archive: .*webhooks: .*subscribers: /);
  });

  it("gets the events all the same, and no rule of here, which would look for a bus of its name in this account", () => {
    const stack = inAccount();
    const poller = new SurveyPoller(stack, "Poller", {
      eventBus: foreign(stack),
      sources: [{ baseUrl }],
      bus: { archive: false },
    });
    const target = new SqsQueue(new Queue(stack, "Queue"));
    expect(() => poller.onResponseCompleted("Any", { target })).toThrow(/onResponseCompleted: cannot be had/);
  });
});

it("two pollers of one account share a bus without a name in common", () => {
  const namesOf = (name: string) => {
    const stack = new Stack(createApp(), name);
    const eventBus = EventBus.fromEventBusName(stack, "Bus", "shared");
    new SurveyPoller(stack, "Poller", { eventBus, sources: [{ baseUrl }] });
    const template = Template.fromStack(stack);
    return ["AWS::SSM::Parameter", "AWS::EventSchemas::Registry"].flatMap((type) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties.Name ?? Properties.RegistryName),
    );
  };
  const [one, other] = [namesOf("One"), namesOf("Other")];
  expect(one).toHaveLength(2);
  expect(one.filter((name) => other.includes(name))).toEqual([]);
});
