import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Contract, incompatibilities } from "../../codegen/compatibility.ts";
import { readContract } from "../../codegen/read-contract.ts";
import type { JsonSchema } from "../../codegen/schemas.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";

type Definition = { properties: Record<string, JsonSchema>; required: string[] } & JsonSchema;

const released = readContract(join(import.meta.dirname, "../../contract"));
const TYPE = "response.completed";

/** The contract with one definition of `response.completed` changed. */
function changed(name: string, change: (definition: Definition) => void): Contract {
  const schemas = new Map(structuredClone([...released.schemas]));
  const definitions = schemas.get(TYPE)?.$defs as Record<string, Definition>;
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`no definition ${name}`);
  change(definition);
  return { schemas, golden: released.golden };
}

/** The contract with one of its events changed. */
function withEvent(name: string, change: (detail: { meta: object; data: Record<string, unknown> }) => void): Contract {
  const golden = new Map(structuredClone([...released.golden]));
  change(golden.get(name)?.detail as { meta: object; data: Record<string, unknown> });
  return { schemas: released.schemas, golden };
}

describe("the compatibility gate", () => {
  it("takes the contract itself, with every event type and golden events of each", () => {
    expect(released.schemas.size).toBe(EVENT_TYPES.length);
    expect(new Set([...released.golden.values()].map((event) => event["detail-type"]))).toEqual(new Set(EVENT_TYPES));
    expect(incompatibilities(released, released)).toEqual([]);
  });

  it("takes a field more, another word in a list, other explanations, and an event type more", () => {
    const next = changed("Summary", (summary) => {
      summary.properties.mood = { type: "string" };
      summary.description = "said otherwise";
      summary.examples = [];
    });
    const schemas = new Map([...next.schemas, ["survey.closed", { type: "object" } as JsonSchema]]);
    const { golden } = withEvent("ordinary", ({ meta, data }) => {
      Object.assign(meta, { origin: "stream" });
      Object.assign(data.summary as object, { mood: "sunny" });
    });
    expect(incompatibilities(released, { schemas, golden })).toEqual([]);
  });

  it.each<[string, string, (definition: Definition) => void, string]>([
    ["a field that is gone", "Response", ({ properties }) => delete properties.crk, ".crk: this field is gone"],
    [
      "a closed list of words",
      "Nps",
      ({ properties }) => Object.assign(properties.class ?? {}, { enum: ["promoter", "passive", "detractor"] }),
      'class: enum was absent, is ["promoter","passive","detractor"]',
    ],
    [
      "another type",
      "Contents",
      ({ properties }) => Object.assign(properties, { responseId: { type: "string" } }),
      '.responseId: type was "integer", is "string"',
    ],
    [
      "a type more, which old code does not expect",
      "Answer",
      ({ properties }) => Object.assign(properties, { comment: { type: ["string", "null"] } }),
      '.comment: type was "string", is ["string","null"]',
    ],
    [
      "a field that may be left out now",
      "Moment",
      (moment) => Object.assign(moment, { required: [] }),
      'required was ["local"], is []',
    ],
    [
      "a new field that old events lack",
      "Contents",
      ({ properties, required }) => {
        properties.channel = { type: "string" };
        required.push("channel");
      },
      "must have required property 'channel'",
    ],
    [
      "an object that takes no further fields",
      "Metadata",
      (metadata) => Object.assign(metadata, { additionalProperties: false }),
      "additionalProperties was {}, is false",
    ],
    [
      "a narrower number",
      "Contents",
      ({ properties }) => Object.assign(properties.surveyId ?? {}, { minimum: 1 }),
      "minimum was absent, is 1",
    ],
    [
      "another object in the same place",
      "Contents",
      ({ properties }) => Object.assign(properties, { summary: { $ref: "#/$defs/Nps" } }),
      ".summary.scorePercent: this field is gone",
    ],
  ])("refuses %s", (_what, name, change, why) => {
    expect(incompatibilities(released, changed(name, change)).join("\n")).toContain(why);
  });

  it("refuses a contract without an event type", () => {
    const schemas = new Map(released.schemas);
    schemas.delete("books.closed");
    expect(incompatibilities(released, { ...released, schemas })).toEqual(["books.closed: this event is gone"]);
  });

  it("refuses a new event that old code cannot read, and an old one that new code cannot", () => {
    const other = withEvent("minimal", ({ data }) => delete data.summary);
    expect(incompatibilities(released, other).join()).toContain("new event by the released schema minimal");
    expect(incompatibilities(other, released).join()).toContain("released event minimal");
  });
});
