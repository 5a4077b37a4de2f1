import { Duration, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EventBus, type IRuleTarget } from "aws-cdk-lib/aws-events";
import { SnsTopic, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import {
  createSubscription,
  type ResponseCompletedProps,
  type Subscription,
} from "../../../infra/subscriptions/subscribe.ts";
import { parseConfig } from "../../../lib/config/index.ts";
import { createApp } from "../support/synthesize.ts";

const source = { baseUrl: "https://surveys.example.com" };
const { sources } = parseConfig(
  { sources: [source, { ...source, name: "b" }, { ...source, name: "c", eventSource: "team/c" }] },
  { deployed: true },
);

function createStack(): Stack {
  return new Stack(createApp(), "Test");
}

/** A subscription on a bus that stands alone. */
function subscribed(stack: Stack, props: ResponseCompletedProps): { subscription: Subscription; template: Template } {
  const bus = new EventBus(stack, "Bus", { eventBusName: "surveys" });
  const subscription = createSubscription(stack, "All", props, { bus, sources });
  return { subscription, template: Template.fromStack(stack) };
}

const queueTarget = (stack: Stack): IRuleTarget => new SqsQueue(new Queue(stack, "Queue"));

describe("a subscription", () => {
  it("is of the types that are named, and its pattern may use the fields of any of them", () => {
    const stack = createStack();
    const target = queueTarget(stack);
    const { template } = subscribed(stack, {
      types: ["response.completed", "response.updated"],
      where: { meta: { changed: ["answers"] } },
      target,
    });
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: {
        "detail-type": ["response.completed", "response.updated"],
        detail: { meta: { changed: ["answers"] } },
      },
    });
  });

  it("has no field of other types", () => {
    const stack = createStack();
    const target = queueTarget(stack);
    expect(() => subscribed(stack, { types: ["books.closed"], where: { data: { responseId: [1] } }, target })).toThrow(
      "where.data.responseId: unknown field",
    );
  });

  it("leaves to the target what the target states itself", () => {
    const stack = createStack();
    const own = new Queue(stack, "Own");
    const target = new SnsTopic(new Topic(stack, "Topic"), { deadLetterQueue: own, retryAttempts: 3 });
    const { subscription, template } = subscribed(stack, { target });
    expect(subscription.deadLetters).toBeUndefined();
    template.resourceCountIs("AWS::SQS::Queue", 1);
    template.hasResourceProperties("AWS::Events::Rule", {
      Targets: [
        {
          DeadLetterConfig: { Arn: stack.resolve(own.queueArn) },
          RetryPolicy: { MaximumRetryAttempts: 3 },
        },
      ],
    });
  });

  it("has the retry that is asked for", () => {
    const stack = createStack();
    const target = queueTarget(stack);
    const { template } = subscribed(stack, { target, retry: { maxAge: Duration.minutes(5), attempts: 0 } });
    template.hasResourceProperties("AWS::Events::Rule", {
      Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 0 } }],
    });
  });

  it.each([
    [{ where: { data: { surveyID: [1] } } }, 'All: where.data.surveyID: unknown field, did you mean "surveyId"?'],
    [{ where: { data: { surveyId: [1, "2"] } } }, "All: where.data.surveyId[1]: can never match"],
    [{ retry: { maxAge: Duration.seconds(30) } }, "All: retry.maxAge: must be 1 minute to 24 hours"],
    [{ retry: { maxAge: Duration.days(2) } }, "All: retry.maxAge: must be"],
    [{ retry: { attempts: 200 } }, "All: retry.attempts: must be"],
  ])("with %j is refused at synthesis", (wrong, message) => {
    const stack = createStack();
    const props = { target: queueTarget(stack), ...wrong } as ResponseCompletedProps;
    const refused = expect(() => subscribed(stack, props));
    refused.toThrow(expect.objectContaining({ code: "BAD_CONFIGURATION", message: expect.stringContaining(message) }));
  });
});

it("a pattern longer than EventBridge takes is refused at synthesis, not by the deployment", () => {
  const ids = Array.from({ length: 600 }, (_, i) => 100_000 + i);
  const stack = createStack();
  const target = new SqsQueue(new Queue(stack, "Queue"));
  expect(() => subscribed(stack, { target, where: { data: { surveyId: ids } } })).toThrow(/EventBridge takes 4096/);
});
