import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EventBus } from "aws-cdk-lib/aws-events";
import { describe, expect, it } from "vitest";
import { createBusCompanions } from "../../infra/bus.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";
import { createApp } from "./support/synthesize.ts";

const source = { baseUrl: "https://surveys.example.com" };

/** Everything beside a bus, without the poller. */
function templateOf(config: Record<string, unknown> = {}, busName = "surveys"): Template {
  const stack = new Stack(createApp(), "Test");
  createBusCompanions(stack, {
    bus: new EventBus(stack, "Bus", { eventBusName: busName }),
    busName,
    config: parseConfig({ sources: [source], ...config }, { deployed: true }),
    isOwn: true,
    logDays: 7,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return Template.fromStack(stack);
}

const one = templateOf();
describe("the schema registry", () => {
  it("has a schema of its own for each of two event sources that differ in a slash", () => {
    const eventSources = ["a/b", "a-b", "a--b"];
    const template = templateOf({
      sources: eventSources.map((eventSource, i) => ({ ...source, name: `source-${i}`, eventSource })),
    });
    const schemas = Object.values(template.findResources("AWS::EventSchemas::Schema"));
    expect(new Set(schemas.map(({ Properties }) => Properties.SchemaName)).size).toBe(3 * EVENT_TYPES.length);
  });

  it("has a name that a registry may have, whatever that of the bus", () => {
    const template = templateOf({ bus: { archive: false, logging: false } }, "b".repeat(256));
    template.hasResourceProperties("AWS::EventSchemas::Registry", { RegistryName: "b".repeat(64) });
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
