import type { FoundProblem } from "../../lib/config/index.ts";
import { nearestName } from "../../lib/config/unknown-field.ts";
import { DETAIL_TYPE, detailJsonSchema, type EventType } from "../../lib/events/index.ts";
import { isObject } from "../../lib/json.ts";

/** One place in the detail of an event, as far as a pattern can test it. Arrays are left out: a pattern looks through them. */
export interface Shape {
  fields: ReadonlyMap<string, Shape>;
  /** JSON types of the values that may stand here. */
  kinds: ReadonlySet<string>;
  /** Whether the contract says nothing of what stands here. */
  open: boolean;
}

/**
 * Everything in a pattern on the event's detail that no event can match: fields that none has, and values of another type. EventBridge
 * takes such a rule, which then never matches and says nothing. Patterns that it refuses are left to it.
 */
export function checkWhere(where: unknown, types: readonly EventType[] = [DETAIL_TYPE]): FoundProblem[] {
  return problemsAt(where, detailShape(types), []);
}

function problemsAt(pattern: unknown, shape: Shape, path: PropertyKey[]): FoundProblem[] {
  if (shape.open) return [];
  if (Array.isArray(pattern)) {
    return pattern.flatMap((test, index) => {
      const message = testProblem(test, shape);
      return message === undefined ? [] : [{ path: [...path, index], message }];
    });
  }
  if (!isObject(pattern)) return [{ path, message: "must be a list of alternatives in [ ], or an object of fields" }];
  return Object.entries(pattern).flatMap(([name, inner]) => {
    const here = [...path, name];
    if (name === "$or") {
      return [inner].flat().flatMap((alternative, index) => problemsAt(alternative, shape, [...here, index]));
    }
    const field = shape.fields.get(name);
    if (field !== undefined) return problemsAt(inner, field, here);
    return [{ path: here, message: unknownField(name, [...shape.fields.keys()]) }];
  });
}

function unknownField(name: string, known: readonly string[]): string {
  if (known.length === 0) return "unknown field: the event has a value here";
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `unknown field; the known ones here are ${known.join(", ")}`
    : `unknown field, did you mean "${nearest}"?`;
}

/** Types that an operator can tell anything of; those of any other operator are all. */
const OPERANDS: Readonly<Record<string, string>> = {
  prefix: "string",
  suffix: "string",
  "equals-ignore-case": "string",
  wildcard: "string",
  cidr: "string",
  numeric: "number",
};

/** It never repeats a value: one could be personal data. */
function testProblem(test: unknown, { fields, kinds }: Shape): string | undefined {
  if (test === null && kinds.has("null")) return undefined;
  // "exists" looks at values alone: of an object it would never be true.
  if (fields.size > 0) return `has fields: name one of ${[...fields.keys()].join(", ")}`;
  const [operator = ""] = isObject(test) ? Object.keys(test) : [];
  const kind = isObject(test) ? OPERANDS[operator] : test === null ? "null" : typeof test;
  if (kind === undefined || kinds.has(kind)) return undefined;
  return `can never match: the event has ${[...kinds].join(" or ")} here`;
}

const NOTHING: Shape = { fields: new Map(), kinds: new Set(), open: false };
const OPEN: Shape = { ...NOTHING, open: true };

/** The shape of the whole detail of events of these types, from the contract's schemas: what any of them has. */
export function detailShape(types: readonly EventType[]): Shape {
  return types
    .map((type) => {
      const { name, definitions } = detailJsonSchema(type, "draft-4");
      return shapeOf(definitions[name], definitions);
    })
    .reduce(merged);
}

function shapeOf(schema: unknown, definitions: Record<string, unknown>): Shape {
  const within = (part: unknown): Shape => shapeOf(part, definitions);
  if (!isObject(schema)) return OPEN;
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/definitions/", "");
    const { fields, ...rest } = within(definitions[name]);
    // The address of large answers is added after a rule has matched.
    return { ...rest, fields: new Map([...fields].filter(([field]) => name !== "AnswersRef" || field !== "url")) };
  }
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(within).reduce(merged);
  const types = [schema.type].flat();
  if (types.includes("array")) return within(schema.items);
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {});
  if (fields.length > 0) return { ...NOTHING, fields: new Map(fields.map(([name, field]) => [name, within(field)])) };
  const kinds = types.map((type) => (type === "integer" ? "number" : String(type)));
  if (!kinds.every((kind) => ["string", "number", "boolean", "null"].includes(kind))) return OPEN;
  return { ...NOTHING, kinds: new Set(kinds) };
}

function merged(one: Shape, other: Shape): Shape {
  const fields = new Map(one.fields);
  for (const [name, field] of other.fields) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? field : merged(before, field));
  }
  return { fields, kinds: new Set([...one.kinds, ...other.kinds]), open: one.open || other.open };
}
