import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { describe, expect, it } from "vitest";
import { createBusCompanions } from "../../infra/bus.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { EVENT_TYPES, eventJsonSchema } from "../../lib/events/index.ts";
import { createMatcher } from "../../lib/local/aws/event-bridge/matcher.ts";
import { goldenCases } from "../event-rules/golden.ts";
import { createApp } from "./support/synthesize.ts";

const source = { baseUrl: "https://surveys.example.com" };

/** Everything beside a bus, without the poller. */
function templateOf(config: Record<string, unknown> = {}, more: { isOwn?: boolean; busName?: string } = {}): Template {
  const stack = new Stack(createApp(), "Test");
  const busName = more.busName ?? "surveys";
  createBusCompanions(stack, {
    bus: new EventBus(stack, "Bus", { eventBusName: busName }),
    busName,
    config: parseConfig({ sources: [source], ...config }, { deployed: true }),
    isOwn: more.isOwn ?? true,
    logDays: 7,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return Template.fromStack(stack);
}

const one = templateOf();
const several = templateOf({
  sources: [
    { ...source, retention: { archive: "10d" } },
    { ...source, name: "b", eventSource: "team/b", retention: { archive: "45d" } },
    { ...source, name: "c", eventSource: "team/b" },
  ],
  bus: { arnParameter: "/team/bus" },
});

describe("the archive", () => {
  it("keeps the events of this poller, and nothing else that is on the bus", () => {
    const [archive] = Object.values(several.findResources("AWS::Events::Archive"));
    const pattern = archive?.Properties.EventPattern;
    expect(pattern).toEqual({ source: ["survey-poller", "team/b"], "detail-type": EVENT_TYPES });
    const event = goldenCases[0]?.event as object;
    expect(createMatcher(pattern)(event)).toBe(true);
    expect(createMatcher(pattern)({ ...event, "detail-type": "order.paid" })).toBe(false);
  });

  it("keeps them as long as the source that asks for most", () => {
    several.hasResourceProperties("AWS::Events::Archive", { RetentionDays: 45 });
  });
});

describe("the schema registry", () => {
  it("has the contract under the name of each event source, as JSON Schema draft 4", () => {
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
  it("with the bus's ARN has the name that is given", () => {
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
