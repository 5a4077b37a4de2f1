import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isObject } from "../../lib/config/shape.ts";
import { detailJsonSchema, EVENT_TYPES, type EventType } from "../../lib/events/index.ts";
import { firstCells } from "./support/first-cells.ts";

const reference = readFileSync("docs/event-fields.md", "utf8");

interface Place {
  path: string;
  /** Whether the contract names nothing below it. */
  isLeaf: boolean;
}

/** Every field of the detail of an event, such as `data.answers[].question.text`. */
function placesOf(type: EventType): Place[] {
  const { name, definitions } = detailJsonSchema(type, "draft-2020-12");
  const walk = (schema: unknown, path: string): Place[] => {
    if (!isObject(schema)) return [{ path, isLeaf: true }];
    if (typeof schema.$ref === "string") return walk(definitions[schema.$ref.replace("#/$defs/", "")], path);
    const [alternative] = (Array.isArray(schema.anyOf) ? schema.anyOf : []).filter(isFilled);
    if (alternative !== undefined) return walk(alternative, path);
    if (isObject(schema.items))
      return isObjects(schema.items, definitions) ? walk(schema.items, `${path}[]`) : walk({}, path);
    const fields = Object.entries(isObject(schema.properties) ? schema.properties : {});
    const below = fields.flatMap(([field, inner]) => walk(inner, path === "" ? field : `${path}.${field}`));
    return path === "" ? below : [{ path, isLeaf: below.length === 0 }, ...below];
  };
  return walk(definitions[name], "");
}

const isFilled = (schema: unknown): boolean => isObject(schema) && schema.type !== "null";

function isObjects(items: Record<string, unknown>, definitions: Record<string, Record<string, unknown>>): boolean {
  const named = typeof items.$ref === "string" ? definitions[items.$ref.replace("#/$defs/", "")] : items;
  return named?.type === "object";
}

/** The paths that the tables name. In a cell, a name without a beginning belongs beside the one before it. */
function documented(text: string): string[] {
  let beside = "";
  return firstCells(text, "field")
    .filter((name) => !["detail-type", "source", "time", "id", "detail"].includes(name))
    .map((name) => {
      if (!/^(meta|data)\./.test(name)) return `${beside}${name}`;
      beside = name.replace(/[^.]*$/, "");
      return name;
    });
}

const places = EVENT_TYPES.flatMap(placesOf);

describe("the reference of the fields in docs/event-fields.md", () => {
  it("has every field of the contract", () => {
    const named = new Set(documented(reference));
    const leaves = new Set(places.filter(({ isLeaf }) => isLeaf).map(({ path }) => path));
    expect(leaves.size).toBeGreaterThan(80);
    expect([...leaves].filter((path) => !named.has(path))).toEqual([]);
  });

  it("has no field that there is not", () => {
    const known = new Set(places.map(({ path }) => path));
    expect(documented(reference).filter((path) => !known.has(path))).toEqual([]);
  });
});
