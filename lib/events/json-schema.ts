import * as z from "zod";
import { detailSchemas } from "./catalog.ts";
import { DETAIL_TYPE, type EventType } from "./contract.ts";

/** The drafts that the contract is published in. */
export type Draft = "draft-2020-12" | "draft-4";

type JsonSchema = Record<string, unknown>;

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
  return {
    $schema: String(schema.$schema),
    keyword,
    name,
    definitions: schema[keyword] as NamedSchemas["definitions"],
  };
}

/** The contract as JSON Schema draft 4, which is what the EventBridge schema registry takes. */
export function responseCompletedJsonSchema(): JsonSchema {
  const { $schema, name, definitions } = detailJsonSchema(DETAIL_TYPE, "draft-4");
  const { [name]: detail, ...others } = definitions;
  return { $schema, ...detail, definitions: others };
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
