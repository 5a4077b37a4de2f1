import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { type CfnEventBus, EventBus } from "aws-cdk-lib/aws-events";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { createBusCompanions, shareBus } from "../../infra/bus.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { EVENT_TYPES, eventJsonSchema } from "../../lib/events/index.ts";
import { createMatcher } from "../../local/aws/event-bridge/matcher.ts";
import { goldenCases } from "../event-rules/golden.ts";
import { readable } from "./support/policies.ts";
import { createApp } from "./support/synthesize.ts";

const source = { baseUrl: "https://surveys.example.com" };

/** Everything beside a bus, without the poller. */
function templateOf(
  config: Record<string, unknown> = {},
  more: { isOwn?: boolean; busName?: string; encrypted?: boolean } = {},
): Template {
  const stack = new Stack(createApp(), "Test");
  const busName = more.busName ?? "surveys";
  const encryptionKey = more.encrypted === true ? new Key(stack, "Key") : undefined;
  const bus = new EventBus(stack, "Bus", { eventBusName: busName });
  // By the key alone: the library would name the bus in the key's policy.
  (bus.node.defaultChild as CfnEventBus).kmsKeyIdentifier = encryptionKey?.keyArn;
  createBusCompanions(stack, {
    bus,
    busName,
    config: parseConfig({ sources: [source], ...config }, { deployed: true }),
    isOwn: more.isOwn ?? true,
    logDays: 7,
    encryptionKey,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return Template.fromStack(stack);
}

const one = templateOf();
const several = templateOf(
  {
    sources: [
      { ...source, retention: { archive: "10d" } },
      { ...source, name: "b", eventSource: "team/b", retention: { archive: "45d" } },
      { ...source, name: "c", eventSource: "team/b" },
    ],
    bus: { arnParameter: "/team/bus" },
  },
  { encrypted: true },
);

describe("the archive", () => {
  it("keeps the events of this poller, and nothing else that is on the bus", () => {
    one.resourceCountIs("AWS::Events::Archive", 1);
    const [archive] = Object.values(several.findResources("AWS::Events::Archive"));
    const pattern = archive?.Properties.EventPattern;
    expect(pattern).toEqual({ source: ["survey-poller", "team/b"], "detail-type": EVENT_TYPES });
    const event = goldenCases[0]?.event as object;
    expect(createMatcher(pattern)(event)).toBe(true);
    expect(createMatcher(pattern)({ ...event, "detail-type": "order.paid" })).toBe(false);
  });

  it("keeps them as long as the source that asks for most, with the key of everything else", () => {
    one.hasResourceProperties("AWS::Events::Archive", { RetentionDays: 30 });
    several.hasResourceProperties("AWS::Events::Archive", {
      RetentionDays: 45,
      KmsKeyIdentifier: { "Fn::GetAtt": [Match.stringLikeRegexp("^Key"), "Arn"] },
    });
  });
});

describe("a key for everything", () => {
  it("is used by archive and log, and makes no circle with a bus that has the same", () => {
    const arn = { "Fn::GetAtt": [Match.stringLikeRegexp("^Key"), "Arn"] };
    several.hasResourceProperties("AWS::Events::EventBus", { KmsKeyIdentifier: arn });
    several.hasResourceProperties("AWS::Logs::LogGroup", { KmsKeyId: arn });
    expect(JSON.stringify(Object.values(several.findResources("AWS::KMS::Key")))).not.toContain('"Bus');
  });
});

describe("the schema registry", () => {
  it("has the contract under the name of each event source, as JSON Schema draft 4", () => {
    one.hasResourceProperties("AWS::EventSchemas::Registry", { RegistryName: "surveys" });
    const schemas = Object.values(several.findResources("AWS::EventSchemas::Schema"));
    expect(schemas.map(({ Properties }) => [Properties.SchemaName, Properties.Type])).toEqual(
      ["survey-poller", "team@b"].flatMap((name) => EVENT_TYPES.map((type) => [`${name}@${type}`, "JSONSchemaDraft4"])),
    );
    const last = schemas.find(({ Properties }) => Properties.SchemaName === "team@b@books.closed");
    expect(JSON.parse(last?.Properties.Content)).toEqual(eventJsonSchema("books.closed", "draft-4", "team/b"));
  });

  it("has a schema of its own for each of two event sources that differ in a slash", () => {
    const eventSources = ["a/b", "a-b", "a--b"];
    const template = templateOf({
      sources: eventSources.map((eventSource, i) => ({ ...source, name: `source-${i}`, eventSource })),
    });
    const schemas = Object.values(template.findResources("AWS::EventSchemas::Schema"));
    expect(new Set(schemas.map(({ Properties }) => Properties.SchemaName)).size).toBe(3 * EVENT_TYPES.length);
  });

  it("has a name that a registry may have, whatever that of the bus", () => {
    const template = templateOf({ bus: { archive: false, logging: false } }, { busName: "b".repeat(256) });
    template.hasResourceProperties("AWS::EventSchemas::Registry", { RegistryName: "b".repeat(64) });
  });
});

describe("the log of the bus", () => {
  it("is not there for a bus that somebody else made: what it logs is their matter", () => {
    templateOf({}, { isOwn: false }).resourceCountIs("AWS::Logs::LogGroup", 0);
  });
});

describe("the parameter", () => {
  it("tells other stacks the bus's ARN, under a name that follows from the bus's or is given", () => {
    one.hasResourceProperties("AWS::SSM::Parameter", {
      Name: "/survey-poller/surveys/bus-arn",
      Value: { "Fn::GetAtt": [Match.stringLikeRegexp("^Bus"), "Arn"] },
    });
    several.hasResourceProperties("AWS::SSM::Parameter", { Name: "/team/bus" });
  });
});

describe("what a region lacks", () => {
  it.each([
    ["archive", /^AWS::Events::Archive$/],
    ["schemaRegistry", /^AWS::EventSchemas::/],
    ["logging", /^AWS::Logs::/],
  ])("%s can be switched off, alone", (name, types) => {
    const typesOf = (template: Template) =>
      Object.values<{ Type: string }>(template.toJSON().Resources).map(({ Type }) => Type);
    const left = typesOf(templateOf({ bus: { [name]: false } }));
    expect(left.filter((type) => types.test(type))).toEqual([]);
    expect(left).toEqual(typesOf(one).filter((type) => !types.test(type)));
  });
});

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
