import * as z from "zod";
import { detailSchemas } from "./catalog.ts";
import type { EventType } from "./contract.ts";

/** The drafts that the contract is published in. */
export type Draft = "draft-2020-12" | "draft-4";

export type JsonSchema = Record<string, unknown>;

/** A schema and those that it refers to, by name. */
export interface NamedSchemas {
  $schema: string;
  /** Where references look for `definitions`. */
  keyword: "$defs" | "definitions";
  /** Name of the schema itself among the definitions. */
  name: string;
  definitions: Record<string, JsonSchema>;
}

/** The `detail` of events of this type as JSON Schema: one definition for each named object. */
export function detailJsonSchema(type: EventType, draft: Draft): NamedSchemas {
  const keyword = draft === "draft-4" ? "definitions" : "$defs";
  const schema = z.toJSONSchema(detailSchemas[type], { target: draft, override: ({ jsonSchema }) => tidy(jsonSchema) });
  const name = String(schema.$ref).slice(`#/${keyword}/`.length);
  const definitions = schema[keyword] as NamedSchemas["definitions"];
  return { $schema: String(schema.$schema), keyword, name, definitions };
}

/**
 * The whole event as EventBridge delivers it, as JSON Schema. In draft 4, for its registry, the names that begin with `x-amazon-` are where
 * EventBridge's tools look for the event that a schema describes. A strict validator refuses those, and formats that it has not been given.
 *
 * @param source `source` of the events, `eventSource` of the configuration; any where it is left out
 */
export function eventJsonSchema(type: EventType, draft: Draft, source?: string): JsonSchema & { title: string } {
  const { $schema, keyword, name, definitions } = detailJsonSchema(type, draft);
  const isForRegistry = draft === "draft-4";
  const only = (text: string) => ({ type: "string", ...(isForRegistry ? { enum: [text] } : { const: text }) });
  const text = { type: "string" };
  const properties = {
    version: text,
    id: {
      type: "string",
      description: "EventBridge's own, another one for each delivery; detail.meta.eventId is the key",
    },
    "detail-type": only(type),
    source: source === undefined ? { type: "string", description: "`eventSource` of the configuration" } : only(source),
    account: text,
    time: { type: "string", ...(isForRegistry ? { format: "date-time" } : { description: "UTC, ISO 8601" }) },
    region: text,
    resources: { type: "array", items: text },
    detail: { $ref: `#/${keyword}/${name}` },
  };
  return {
    $schema,
    title: `${name}Event`,
    description: definitions[name]?.description,
    ...(isForRegistry && { "x-amazon-events-detail-type": type }),
    ...(isForRegistry && source !== undefined && { "x-amazon-events-source": source }),
    type: "object",
    // Open like the rest: a replay adds the archive's name, and later versions of EventBridge may add more.
    properties,
    required: Object.keys(properties),
    [keyword]: definitions,
  };
}

/** Makes generated code easier to read. */
function tidy(schema: JsonSchema): void {
  // Every integer of zod is a safe one: it need not say so of each.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { allOf, ...siblings } = schema;
  if (Array.isArray(allOf) && allOf.length === 1 && Object.keys(siblings).length === 0) {
    delete schema.allOf;
    Object.assign(schema, allOf[0]);
  }
}
