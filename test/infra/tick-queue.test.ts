import { describe, expect, it } from "vitest";
import { allowedBy } from "./support/policies.ts";
import { synthesize } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const often = synthesize({ sources: [{ baseUrl }, { name: "often", baseUrl, interval: "10s" }] });
const QUEUE = { MessageRetentionPeriod: 60 };

/** Logical name of the only resource with these properties. */
function only(type: string, Properties: object): string {
  const [name, ...others] = Object.keys(often.findResources(type, { Properties }));
  expect(others).toEqual([]);
  return name ?? expect.fail(`there is no such ${type}`);
}

describe("ticks within a minute", () => {
  it("come by a queue that keeps nothing for longer, one message an invocation", () => {
    const queue = only("AWS::SQS::Queue", QUEUE);
    often.hasResourceProperties("AWS::SQS::Queue", { ...QUEUE, VisibilityTimeout: 900, SqsManagedSseEnabled: true });
    often.resourceCountIs("AWS::Lambda::EventSourceMapping", 1);
    often.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      BatchSize: 1,
      EventSourceArn: { "Fn::GetAtt": [queue, "Arn"] },
      FunctionName: { Ref: only("AWS::Lambda::Function", { Timeout: 900 }) },
    });
    often.hasResourceProperties("AWS::Lambda::Function", {
      Environment: { Variables: { TICK_QUEUE_URL: { Ref: queue } } },
    });
  });

  it("are asked for by a tick that the schedule starts each minute", () => {
    const schedules = Object.values(often.findResources("AWS::Scheduler::Schedule"));
    expect(schedules.map(({ Properties }) => Properties.ScheduleExpression)).toEqual([
      "rate(1 minute)",
      "rate(1 minute)",
    ]);
  });

  it("let the function send to that queue and receive from it, and do nothing else with it", () => {
    const resources = ["Ticks"];
    const actions = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage"];
    expect(allowedBy(often, "PollerPollRole").TickWithinMinute).toEqual({ actions, resources });
  });

  it.each([
    ["a minute apart", {}],
    ["of a source that is not enabled", { interval: "10s", enabled: false }],
  ])("are not there where ticks are %s", (_what, fields) => {
    const seldom = synthesize({ sources: [{ baseUrl, ...fields }] });
    seldom.resourceCountIs("AWS::Lambda::EventSourceMapping", 0);
    seldom.resourceCountIs("AWS::SQS::Queue", 1);
    expect(JSON.stringify(seldom.toJSON())).not.toMatch(/TICK_QUEUE_URL|TickWithinMinute/);
  });
});
