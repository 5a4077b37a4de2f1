import { Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../../../infra/subscriptions/webhooks.ts";
import { parseConfig } from "../../../lib/config/index.ts";
import { createApp } from "../support/synthesize.ts";

/** The template of one webhook on a bus that stands alone. */
function templateOf(fields: Record<string, unknown> = {}): Template {
  const stack = new Stack(createApp(), "Test");
  const bus = new EventBus(stack, "Bus", { eventBusName: "surveys" });
  const webhook = { name: "crm", url: "https://crm.example.com/hook", ...fields };
  const config = parseConfig(
    { sources: [{ baseUrl: "https://surveys.example.com" }], webhooks: [webhook] },
    { deployed: true },
  );
  for (const one of config.webhooks) createWebhook(stack, one, { bus, sources: config.sources });
  return Template.fromStack(stack);
}

/** Name of the only resource of a type. */
function only(template: Template, type: string): string {
  const names = Object.keys(template.findResources(type));
  expect(names).toHaveLength(1);
  return names[0] ?? "";
}

describe("a webhook", () => {
  const template = templateOf({
    where: { data: { surveyId: [7] } },
    ratePerSecond: 5,
    retry: { maxAge: "2h", attempts: 9 },
  });
  const destination = only(template, "AWS::Events::ApiDestination");
  const role = only(template, "AWS::IAM::Role");

  it("gets events by POST, no faster than it can take", () => {
    template.hasResourceProperties("AWS::Events::ApiDestination", {
      InvocationEndpoint: "https://crm.example.com/hook",
      HttpMethod: "POST",
      InvocationRateLimitPerSecond: 5,
      ConnectionArn: { "Fn::GetAtt": [only(template, "AWS::Events::Connection"), "Arn"] },
    });
  });

  it("has a rule with its pattern and its retry, and a dead-letter queue of its own", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: {
        source: ["survey-poller"],
        "detail-type": ["response.completed"],
        detail: { data: { surveyId: [7] } },
      },
      Targets: [
        {
          Arn: { "Fn::GetAtt": [destination, "Arn"] },
          RoleArn: { "Fn::GetAtt": [role, "Arn"] },
          DeadLetterConfig: { Arn: { "Fn::GetAtt": [only(template, "AWS::SQS::Queue"), "Arn"] } },
          RetryPolicy: { MaximumEventAgeInSeconds: 7200, MaximumRetryAttempts: 9 },
          // The whole envelope, as every other subscriber gets it.
          InputTransformer: Match.absent(),
        },
      ],
    });
  });

  it("has a role that no rule of another account can be given", () => {
    template.hasResourceProperties("AWS::IAM::Role", {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Principal: { Service: "events.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
          },
        ],
      },
    });
  });

  it("may call this one endpoint, and its rule waits for that permission", () => {
    template.hasResourceProperties("AWS::IAM::Policy", {
      Roles: [{ Ref: role }],
      PolicyDocument: {
        Statement: [
          {
            Sid: "CallEndpoint",
            Effect: "Allow",
            Action: "events:InvokeApiDestination",
            Resource: { "Fn::GetAtt": [destination, "Arn"] },
          },
        ],
      },
    });
    template.hasResource("AWS::Events::Rule", {
      DependsOn: Match.arrayWith([only(template, "AWS::IAM::Policy")]),
    });
  });
});

describe("its credentials", () => {
  const from = (field: string) => `{{resolve:secretsmanager:crm/key:SecretString:${field}::}}`;

  it.each([
    [
      { type: "header", header: "x-token", secret: "crm/key" },
      "API_KEY",
      { ApiKeyAuthParameters: { ApiKeyName: "x-token", ApiKeyValue: from("value") } },
    ],
    [
      { type: "bearer", secret: "crm/key" },
      "API_KEY",
      { ApiKeyAuthParameters: { ApiKeyName: "Authorization", ApiKeyValue: `Bearer ${from("token")}` } },
    ],
    [
      { type: "basic", secret: "crm/key" },
      "BASIC",
      { BasicAuthParameters: { Username: from("username"), Password: from("password") } },
    ],
    [
      undefined,
      "API_KEY",
      { ApiKeyAuthParameters: { ApiKeyName: "x-survey-poller", ApiKeyValue: "response.completed" } },
    ],
  ])("of %j stand in the template by reference alone", (auth, AuthorizationType, AuthParameters) => {
    const template = templateOf(auth === undefined ? {} : { auth });
    template.hasResourceProperties("AWS::Events::Connection", { AuthorizationType, AuthParameters });
  });
});
