import { isObject } from "../../lib/config/shape.ts";
import { detailJsonSchema, type EventType } from "../../lib/events/index.ts";

export type Kind = "string" | "number" | "boolean" | "null";

/** The tests that a pattern may make of one place in the detail. Arrays are left out: a pattern looks through them. */
export interface Shape {
  /** Fields by name; empty where the contract leaves them open. */
  fields: ReadonlyMap<string, Shape>;
  /** Types of the values that may stand here. */
  kinds: ReadonlySet<Kind>;
  /** The only texts that may stand here; empty where there are others. */
  texts: readonly string[];
  /** Whether the contract says nothing of what stands here. */
  open: boolean;
}

const shapes = new Map<EventType, Shape>();

/** The shape of the whole detail of events of these types, from the contract's schemas: what any of them has. */
export function detailShape(types: readonly EventType[]): Shape {
  return types.map(shapeOfType).reduce(merged);
}

function shapeOfType(type: EventType): Shape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const { name, definitions } = detailJsonSchema(type, "draft-4");
  const shape = shapeOf(definitions[name], definitions);
  shapes.set(type, shape);
  return shape;
}

function shapeOf(schema: unknown, definitions: Record<string, unknown>): Shape {
  const within = (part: unknown): Shape => shapeOf(part, definitions);
  if (!isObject(schema)) return OPEN;
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/definitions/", "");
    return onTheBus(name, within(definitions[name]));
  }
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(within).reduce(merged);
  const types = [schema.type].flat();
  if (types.includes("array")) return within(schema.items);
  if (types.includes("object")) {
    const fields = Object.entries(isObject(schema.properties) ? schema.properties : {});
    if (fields.length === 0) return OPEN;
    return { ...NOTHING, fields: new Map(fields.map(([name, field]) => [name, within(field)])) };
  }
  const kinds = types.map((type) => (type === "integer" ? "number" : type)).filter(isKind);
  if (kinds.length === 0) return OPEN;
  return { ...NOTHING, kinds: new Set(kinds), texts: Array.isArray(schema.enum) ? schema.enum.map(String) : [] };
}

/** Fields that are added after a rule has matched, by the name of their object: no pattern on them could ever match. */
const ADDED_LATER: Readonly<Record<string, readonly string[]>> = { AnswersRef: ["url"] };

function onTheBus(name: string, shape: Shape): Shape {
  const added = Object.hasOwn(ADDED_LATER, name) ? (ADDED_LATER[name] ?? []) : [];
  return added.length === 0
    ? shape
    : { ...shape, fields: new Map([...shape.fields].filter(([field]) => !added.includes(field))) };
}

const NOTHING: Shape = { fields: new Map(), kinds: new Set(), texts: [], open: false };
const OPEN: Shape = { ...NOTHING, open: true };

function merged(one: Shape, other: Shape): Shape {
  const fields = new Map(one.fields);
  for (const [name, field] of other.fields) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? field : merged(before, field));
  }
  return {
    fields,
    kinds: new Set([...one.kinds, ...other.kinds]),
    texts: [...one.texts, ...other.texts],
    open: one.open || other.open,
  };
}

function isKind(type: unknown): type is Kind {
  return type === "string" || type === "number" || type === "boolean" || type === "null";
}
