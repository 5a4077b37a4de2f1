import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ForwardSurveys } from "../../examples/forward-to-another-account/forward-stack.ts";
import { ReceiveSurveys } from "../../examples/forward-to-another-account/receive-stack.ts";
import { type Synthesized, synthesizeExample } from "./support/template.ts";

const inboxArn = "arn:aws:events:eu-west-1:222222222222:event-bus/surveys";
/** Synthesises at the first call only. */
function once(synthesize: () => Synthesized): () => Synthesized {
  let made: Synthesized | undefined;
  return () => {
    made ??= synthesize();
    return made;
  };
}

const forward = once(() => synthesizeExample((app) => new ForwardSurveys(app, "Forward", { inboxArn })));
const receive = once(() =>
  synthesizeExample(
    (app) => new ReceiveSurveys(app, "Receive", { pollerAccount: "111111111111", claimCheckBucketName: "answers" }),
  ),
);

// The first synthesis loads the CDK and runs the bundler.
describe("the forwarding stack", { timeout: 120_000 }, () => {
  it("sends every type to the inbox, by a role that may put events there and nothing else", () => {
    const template = forward().template;
    template.hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "survey-poller",
      EventPattern: {
        source: ["survey-poller"],
        "detail-type": ["response.completed", "response.updated", "response.deleted", "books.closed"],
      },
      Targets: [
        Match.objectLike({ Arn: inboxArn, RoleArn: Match.anyValue(), DeadLetterConfig: { Arn: Match.anyValue() } }),
      ],
    });
    const statements = Object.values(template.findResources("AWS::IAM::Policy")).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements).toEqual([{ Action: "events:PutEvents", Effect: "Allow", Resource: inboxArn }]);
  });

  it("has nothing that cdk-nag finds", () => {
    expect(forward().findings).toEqual([]);
  });
});

describe("the receiving stack", { timeout: 120_000 }, () => {
  it("lets the poller's account put events, and nobody else", () => {
    const template = receive().template;
    template.resourceCountIs("AWS::Events::EventBusPolicy", 1);
    template.hasResourceProperties("AWS::Events::EventBusPolicy", {
      Statement: {
        Action: "events:PutEvents",
        Principal: { AWS: { "Fn::Join": ["", Match.arrayWith([":iam::111111111111:root"])] } },
      },
    });
  });

  it("lets the consumer read large answers, and nothing else of the bucket", () => {
    const policies = JSON.stringify(receive().template.findResources("AWS::IAM::Policy"));
    expect(policies.match(/"s3:[^"]+"/g)).toEqual(['"s3:GetObject"']);
    expect(policies).toContain(":s3:::answers/answers/*");
  });

  it("has nothing that cdk-nag finds", () => {
    // Claim checks are known by the form of their keys.
    expect(receive().findings).toEqual(["AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::answers/answers/*]"]);
  });
});
