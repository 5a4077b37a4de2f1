import { CfnParameter, type Stack } from "aws-cdk-lib";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { SecurityGroup } from "aws-cdk-lib/aws-ec2";
import { EventBus } from "aws-cdk-lib/aws-events";
import { describe, expect, it } from "vitest";
import type { SurveyPollerProps } from "../../infra/props.ts";
import { createStateTable } from "../../infra/storage.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { ConfigError } from "../../lib/config/index.ts";
import { importVpc } from "./support/existing.ts";
import { synthesizeOwn } from "./support/synthesize.ts";

const sources = [{ baseUrl: "https://surveys.example.com" }];

/** The problems of props, by their path. */
function problems(props: (stack: Stack) => object): Record<string, string> {
  try {
    synthesizeOwn((stack) => new SurveyPoller(stack, "Poller", props(stack) as SurveyPollerProps));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]));
  }
  return {};
}

describe("props", () => {
  it("may be the configuration alone, or a bare source", () => {
    expect(problems(() => ({ sources }))).toEqual({});
    expect(problems(() => ({ baseUrl: "https://surveys.example.com" }))).toEqual({});
  });

  it("are all told of at once, those of the configuration and those of what is there already", () => {
    const found = problems((stack) => ({
      sources: [{ baseUrl: "ftp://x", interval: "25s" }],
      bus: { name: "mine" },
      eventBus: EventBus.fromEventBusName(stack, "Bus", "team"),
      vpcSubnets: {},
      securityGroups: [SecurityGroup.fromSecurityGroupId(stack, "Group", "sg-0123456789abcdef0")],
      proxy: "http://user:hush@proxy.example.com",
      secrets: { other: "x" },
    }));
    expect(Object.keys(found).sort()).toEqual([
      "bus.name",
      "proxy",
      "secrets.other",
      "securityGroups",
      "sources[0].baseUrl",
      "sources[0].interval",
      "vpcSubnets",
    ]);
    expect(JSON.stringify(found)).not.toContain("hush");
    expect(found["secrets.other"]).toBe('there is no source "other"');
  });

  it("hold the pattern of a webhook against the contract, together with everything else that is wrong", () => {
    const webhooks = [
      { name: "crm", url: "https://crm.example.com", where: { data: { surveyID: [1] } }, ratePerSecond: 0 },
    ];
    expect(problems(() => ({ sources, webhooks }))).toEqual({
      "webhooks[0].ratePerSecond": expect.any(String),
      "webhooks[0].where.data.surveyID": 'unknown field, did you mean "surveyId"?',
    });
  });

  const withSecret = (credentialsSecret: string) => ({ sources: [{ ...sources[0], credentialsSecret }] });
  const arn = "arn:aws:secretsmanager:eu-west-1:1:secret:a-AbCdEf";
  it.each<[what: string, props: object, path: string, message?: string]>([
    ["a misspelt field", { webhook: [] }, "webhook", 'did you mean "webhooks"?'],
    ["an ARN where a name is wanted", withSecret(arn), "sources[0].credentialsSecret", "must be the name of a secret"],
    ["credentials given twice", { ...withSecret("a"), secrets: { main: "b" } }, "secrets.main", "beside the source"],
    ["an empty list of security groups", { securityGroups: [] }, "securityGroups"],
    ["too little memory", { memory: 100 }, "memory"],
    ["another word for what is kept", { onRemoval: "retain" }, "onRemoval"],
    ["a bus of facts that is the bus itself", { bus: { facts: { name: "survey-poller" } } }, "bus.facts.name"],
    ["a proxy without scheme", { proxy: "proxy.example.com:3128" }, "proxy"],
    ["a proxy with a path", { proxy: "http://proxy.example.com/x" }, "proxy"],
    ["a SOCKS proxy", { proxy: "socks5://proxy.example.com" }, "proxy"],
  ])("refuse %s", (_, props, path, message = "") => {
    expect(problems(() => ({ sources, ...props }))).toMatchObject({ [path]: expect.stringContaining(message) });
  });

  it("ask for security groups where the port of a proxy is not known yet", () => {
    const props = (stack: Stack) => ({
      sources,
      vpc: importVpc(stack),
      proxy: new CfnParameter(stack, "ProxyUrl").valueAsString,
    });
    const securityGroup = (stack: Stack) => SecurityGroup.fromSecurityGroupId(stack, "Group", "sg-0123456789abcdef0");
    expect(problems(props)).toEqual({ proxy: expect.stringContaining("give securityGroups") });
    expect(problems((stack) => ({ ...props(stack), securityGroups: [securityGroup(stack)] }))).toEqual({});
  });

  it("of two pollers in one stack must not name the same source: their secrets are named by it", () => {
    const two = (stack: Stack) => {
      new SurveyPoller(stack, "First", { sources, bus: { name: "first" } });
      return { sources };
    };
    expect(problems(two)).toEqual({ sources: expect.stringContaining("Own/main/token") });
  });

  it("refuse a table of other keys, or without the index, as far as its keys are known", () => {
    const partitionKey = { name: "pk", type: AttributeType.STRING };
    const sortKey = { name: "sk", type: AttributeType.STRING };
    const table = (props: object) => (stack: Stack) => ({
      sources,
      stateTable: new Table(stack, "Books", { partitionKey, ...props }),
    });
    const told = { stateTable: expect.stringContaining("createStateTable") };
    expect(problems(table({}))).toEqual(told);
    expect(problems(table({ sortKey }))).toEqual(told);
    expect(problems((stack) => ({ sources, stateTable: createStateTable(stack, "Books") }))).toEqual({});
    expect(problems((stack) => ({ sources, stateTable: Table.fromTableName(stack, "Books", "any") }))).toEqual({});
  });
});
