import { Match } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, it } from "vitest";
import type { SurveyPollerProps } from "../../infra/props.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { synthesizeOwn } from "./support/synthesize.ts";

const source = { baseUrl: "https://surveys.example.com", timeZone: "UTC" };
const accounts = ["111111111111"];

function templateOf(props: Omit<SurveyPollerProps, "sources">, isEncrypted = false) {
  return synthesizeOwn((stack) => {
    const given = isEncrypted ? { encryptionKey: new Key(stack, "Key") } : {};
    new SurveyPoller(stack, "Surveys", { sources: [source], ...props, ...given });
  });
}

it("a bus of facts is shared by itself: its accounts have no say on the bus with whole events, and read no answers", () => {
  const template = templateOf({ bus: { facts: { name: "figures", accounts } } });
  template.resourceCountIs("AWS::Events::EventBus", 2);
  const [[id]] = Object.entries(
    template.findResources("AWS::Events::EventBus", { Properties: { Name: "figures" } }),
  ) as [[string, unknown]];
  const policies = Object.values(template.findResources("AWS::Events::EventBusPolicy"));
  expect(policies.map(({ Properties }) => Properties.EventBusName)).toEqual([{ Ref: id }]);
  expect(JSON.stringify(template.findResources("AWS::S3::BucketPolicy"))).not.toContain("ShareAnswers");
  template.hasResourceProperties("AWS::Lambda::Function", {
    Environment: { Variables: Match.objectLike({ FACTS_BUS_NAME: { Ref: id } }) },
  });
  template.hasResourceProperties("AWS::IAM::Policy", {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Action: "events:PutEvents",
          Resource: Match.arrayWith([{ "Fn::GetAtt": [id, "Arn"] }]),
        }),
      ]),
    },
  });
  expect(Object.values(template.findResources("AWS::SSM::Parameter")).map(({ Properties }) => Properties.Name)).toEqual(
    expect.arrayContaining(["/survey-poller/figures/bus-arn"]),
  );
});

it("the policy of one key lets both buses use it", () => {
  const text = JSON.stringify(templateOf({ bus: { facts: { name: "figures" } } }, true).findResources("AWS::KMS::Key"));
  expect(text).toContain("event-bus/figures");
  expect(text).toContain("event-bus/survey-poller");
});

it("without it there is one bus, and the bus of facts cannot be the same one", () => {
  templateOf({}).resourceCountIs("AWS::Events::EventBus", 1);
  expect(() => templateOf({ bus: { facts: { name: "survey-poller" } } })).toThrow("bus.facts.name");
});
