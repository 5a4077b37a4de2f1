import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { describe, expect, it } from "vitest";
import { shareBus } from "../../../infra/bus.ts";
import { readable } from "../support/policies.ts";
import { createApp } from "../support/synthesize.ts";

interface BusPolicy {
  DependsOn?: string[];
  Properties: { StatementId: string; Statement: Record<string, unknown> };
}

function policiesOf(subscribers: { accounts: string[]; organizationId?: string }): Record<string, BusPolicy> {
  const stack = new Stack(createApp(), "Test");
  shareBus(stack, new EventBus(stack, "Bus", { eventBusName: "surveys" }), subscribers);
  return Template.fromStack(stack).findResources("AWS::Events::EventBusPolicy") as Record<string, BusPolicy>;
}

const root = (account: string) => ({ "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, `:iam::${account}:root`]] });
// biome-ignore lint/suspicious/noTemplateCurlyInString: IAM fills it in
const onlyOwn = { "events:creatorAccount": "${aws:PrincipalAccount}" };

describe("the policy of the bus", () => {
  it("is none where nobody else subscribes", () => {
    expect(policiesOf({ accounts: [] })).toEqual({});
  });

  it("lets accounts manage rules of their own on this bus, each named once, and put no events", () => {
    const [policy, ...others] = Object.values(
      policiesOf({ accounts: ["123456789012", "210987654321", "123456789012"] }),
    );
    expect(others).toEqual([]);
    const { Principal, Action, Resource, Condition } = policy?.Properties.Statement ?? {};
    expect(Principal).toEqual({ AWS: [root("123456789012"), root("210987654321")] });
    expect(Action).toContain("events:PutRule");
    expect(Action).not.toContain("events:PutEvents");
    expect(readable(Resource)).toBe("arn:AWS::Partition:events:AWS::Region:AWS::AccountId:rule/Bus/*");
    expect(Condition).toEqual({ StringEqualsIfExists: onlyOwn });
  });

  it("lets every account of an organization, and no other, do the same", () => {
    const [policy] = Object.values(policiesOf({ accounts: [], organizationId: "o-a1b2c3d4e5" }));
    expect(policy?.Properties.Statement).toMatchObject({
      Principal: { AWS: "*" },
      Condition: { StringEquals: { "aws:PrincipalOrgID": "o-a1b2c3d4e5" }, StringEqualsIfExists: onlyOwn },
    });
  });

  it("puts its statements one after the other, under ids of this poller and this bus", () => {
    const policies = policiesOf({ accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" });
    const [[first = "", one] = [], [, other] = []] = Object.entries(policies);
    expect(other?.DependsOn).toEqual([first]);
    const ids = [one, other].map((policy) => policy?.Properties.StatementId);
    expect(ids).toEqual([
      expect.stringMatching(/^SubscriberAccounts-[0-9a-f]{8}$/),
      expect.stringMatching(/^SubscriberOrganization-[0-9a-f]{8}$/),
    ]);
  });
});
