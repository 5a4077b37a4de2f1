import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { createApp, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

describe("credentials that are there already", () => {
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
