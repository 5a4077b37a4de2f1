import { Duration, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { EventBus, type IRuleTarget } from "aws-cdk-lib/aws-events";
import { SnsTopic, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { AccountPrincipal, Role } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { createSubscription } from "../../../infra/subscriptions/subscribe.ts";
import { SurveyEvents, type SurveyEventsProps } from "../../../infra/subscriptions/survey-events.ts";
import { ConfigError, parseConfig } from "../../../lib/config/index.ts";
import { readable, statementsOf } from "../support/policies.ts";
import { createApp, synthesizeOwn } from "../support/synthesize.ts";

const where = { data: { summary: { nps: { class: ["detractor"] } } } } as const;

/** A stack of somebody else that subscribes a queue to detractors. */
function subscribed(props?: SurveyEventsProps, env?: { account: string; region: string }): Template {
  return synthesizeOwn((stack) => {
    const surveys = SurveyEvents.fromBus(stack, "Surveys", props);
    surveys.onResponseCompleted("Detractors", { where, target: new SqsQueue(new Queue(stack, "Queue")) });
  }, env);
}

// The first test loads the CDK, and works the shapes of all events out.
describe("a subscriber in another stack", { timeout: 120_000 }, () => {
  it("makes a rule on the default bus, whose target has a dead-letter queue", () => {
    subscribed().hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "survey-poller",
      EventPattern: { source: ["survey-poller"], "detail-type": ["response.completed"], detail: where },
      Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue(), RetryPolicy: Match.anyValue() })],
    });
  });

  it("names a bus by its name or its ARN, and the sources that it listens to", () => {
    const arn = "arn:aws:events:eu-west-1:111111111111:event-bus/team";
    subscribed({ busName: "team", eventSources: ["team/a", "team/b"] }).hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "team",
      EventPattern: { source: ["team/a", "team/b"] },
    });
    subscribed({ busName: arn }, { account: "111111111111", region: "eu-west-1" }).hasResourceProperties(
      "AWS::Events::Rule",
      { EventBusName: "team" },
    );
  });

  it("is told where the bus is in another account, since a rule here would never match", () => {
    const busName = "arn:aws:events:eu-west-1:222222222222:event-bus/team";
    const env = { account: "111111111111", region: "eu-west-1" };
    expect(() => subscribed({ busName }, env)).toThrow("cannot be had of a bus in another account");
  });

  it("finds the dead-letter queue by the id of the subscription, whatever the id is", () => {
    synthesizeOwn((stack) => {
      const surveys = SurveyEvents.fromBus(stack, "Surveys", { claimCheckBucketName: "answers" });
      surveys.grantReadAnswers(new Role(stack, "Reader", { assumedBy: new AccountPrincipal("111111111111") }));
      for (const id of ["Bus", "ClaimChecks", "Subscriptions"]) {
        const rule = surveys.onResponseCompleted(id, { target: new SqsQueue(new Queue(stack, `Queue${id}`)) });
        expect(surveys.subscriptions.get(id)?.rule).toBe(rule);
        expect(surveys.subscriptions.get(id)?.deadLetters).toBeInstanceOf(Queue);
      }
    });
  });
});

describe("a reader of large answers", () => {
  const granted = (props: (key: Key) => SurveyEventsProps): string[] => {
    const template = synthesizeOwn((stack) => {
      const surveys = SurveyEvents.fromBus(stack, "Surveys", props(new Key(stack, "Key")));
      const reader = new Role(stack, "Reader", { assumedBy: new AccountPrincipal("111111111111") });
      surveys.grantReadAnswers(reader).assertSuccess();
      surveys.grantReadAnswers(reader).assertSuccess();
    });
    return statementsOf(template, "Reader").map(
      ({ Action, Resource }) => `${[Action].flat().join(" ")} on ${[Resource].flat().map(readable).join(" ")}`,
    );
  };
  const read = "s3:GetObject on arn:AWS::Partition:s3:::answers/answers/*";

  it("may read claim checks, and nothing else of the bucket", () => {
    expect(granted(() => ({ claimCheckBucketName: "answers" }))).toEqual([read]);
  });

  it("may decrypt them, where the poller has a key", () => {
    expect(granted((claimCheckKey) => ({ claimCheckBucketName: "answers", claimCheckKey }))).toEqual([
      read,
      "kms:Decrypt on Key",
    ]);
  });

  it("is told to name the bucket", () => {
    expect(() => granted(() => ({}))).toThrow(ConfigError);
    expect(() => granted(() => ({}))).toThrow("claimCheckBucketName: is needed to read answers");
  });
});

const source = { baseUrl: "https://surveys.example.com" };
const { sources } = parseConfig(
  { sources: [source, { ...source, name: "b" }, { ...source, name: "c", eventSource: "team/c" }] },
  { deployed: true },
);

/** A subscription on a bus that stands alone: of a queue, unless another target is given. */
function subscribedTo(props: object, makeTarget?: (stack: Stack) => IRuleTarget) {
  const stack = new Stack(createApp(), "Test");
  const target = makeTarget?.(stack) ?? new SqsQueue(new Queue(stack, "Queue"));
  const bus = new EventBus(stack, "Bus", { eventBusName: "surveys" });
  const subscription = createSubscription(stack, "All", { target, ...props }, { bus, sources });
  return { subscription, template: Template.fromStack(stack) };
}

describe("a subscription", () => {
  it("is of the types that are named, and its pattern may use the fields of any of them", () => {
    const where = { meta: { changed: ["answers"] } };
    const types = ["response.completed", "response.updated"];
    subscribedTo({ types, where }).template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { "detail-type": types, detail: where },
    });
  });

  it("leaves to the target what the target states itself", () => {
    const { subscription, template } = subscribedTo({}, (stack) => {
      const own = new Queue(stack, "Own");
      return new SnsTopic(new Topic(stack, "Topic"), { deadLetterQueue: own, retryAttempts: 3 });
    });
    expect(subscription.deadLetters).toBeUndefined();
    const [own, ...others] = Object.keys(template.findResources("AWS::SQS::Queue"));
    expect(others).toEqual([]);
    const DeadLetterConfig = { Arn: { "Fn::GetAtt": [own, "Arn"] } };
    template.hasResourceProperties("AWS::Events::Rule", {
      Targets: [{ DeadLetterConfig, RetryPolicy: { MaximumRetryAttempts: 3 } }],
    });
  });

  it("has the retry that is asked for", () => {
    const { template } = subscribedTo({ retry: { maxAge: Duration.minutes(5), attempts: 0 } });
    template.hasResourceProperties("AWS::Events::Rule", {
      Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 0 } }],
    });
  });

  // Longer than EventBridge takes.
  const surveyId = Array.from({ length: 600 }, (_, i) => 100_000 + i);
  it.each([
    [{ where: { data: { surveyID: [1] } } }, 'All: where.data.surveyID: unknown field, did you mean "surveyId"?'],
    [{ where: { data: { surveyId: [1, "2"] } } }, "All: where.data.surveyId[1]: can never match"],
    [{ where: { data: { surveyId } } }, "EventBridge takes 4096"],
    [{ types: ["books.closed"], where: { data: { responseId: [1] } } }, "where.data.responseId: unknown field"],
    [{ retry: { maxAge: Duration.seconds(30) } }, "All: retry.maxAge: must be 1 minute to 24 hours"],
    [{ retry: { maxAge: Duration.days(2) } }, "All: retry.maxAge: must be"],
    [{ retry: { attempts: 200 } }, "All: retry.attempts: must be"],
  ])("with %j is refused at synthesis, not by the deployment", (wrong, message) => {
    const refused = expect(() => subscribedTo(wrong));
    refused.toThrow(expect.objectContaining({ code: "BAD_CONFIGURATION", message: expect.stringContaining(message) }));
  });
});
