import { Match, type Template } from "aws-cdk-lib/assertions";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { AccountPrincipal, Role } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { SurveyEvents, type SurveyEventsProps } from "../../../infra/subscriptions/survey-events.ts";
import { ConfigError } from "../../../lib/config/index.ts";
import { readable, statementsOf } from "../support/policies.ts";
import { synthesizeOwn } from "../support/synthesize.ts";

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
