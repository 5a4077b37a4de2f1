import { Template } from "aws-cdk-lib/assertions";
import * as cdk from "aws-cdk-lib/core";
import { responseCompleted } from "survey-poller/events";
import { ConfigError, SurveyPoller } from "survey-poller/infra";
import * as Theirs from "../lib/theirs-stack";

test("polls every minute", () => {
  const stack = new Theirs.TheirsStack(new cdk.App(), "MyTestStack");
  const template = Template.fromStack(stack);
  template.resourceCountIs("AWS::Lambda::Function", 1);
  template.hasResourceProperties("AWS::Scheduler::Schedule", { ScheduleExpression: "rate(1 minute)" });
});

test("names what is wrong in a configuration", () => {
  const stack = new cdk.Stack(new cdk.App(), "Bad");
  expect(() => new SurveyPoller(stack, "Surveys", { sources: [{ baseUrl: "ftp://x" }] })).toThrow(ConfigError);
});

test("reads events", () => {
  expect(responseCompleted.safeParse({}).success).toBe(false);
});
