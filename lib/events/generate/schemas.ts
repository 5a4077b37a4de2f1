import { EVENT_TYPES, SCHEMA_VERSION } from "../index.ts";
import { eventJsonSchema, type JsonSchema } from "../json-schema.ts";

/** A schema whose definitions all stand in `$defs`. */
export interface Bundle extends JsonSchema {
  $defs: Record<string, JsonSchema>;
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** An address for a schema: nothing is to be found there, and nothing looks. */
const idOf = (name: string): string => `https://survey-poller/contract/${SCHEMA_VERSION}/${name}.json`;

/** The schema of each event type as EventBridge delivers it, by the path of its file. */
export function schemaFiles(): Map<string, JsonSchema> {
  const main = EVENT_TYPES.map((type): [string, JsonSchema] => {
    const { $schema, ...schema } = eventJsonSchema(type, "draft-2020-12");
    return [`json-schema/${type}.json`, strict({ $schema, $id: idOf(type), ...schema })];
  });
  return new Map([...main, ["json-schema/events.json", strict(bundle())]]);
}

/** The same in draft 4 with EventBridge's own keywords, as its schema registry takes it. */
export function draft4Files(): Map<string, JsonSchema> {
  return new Map(EVENT_TYPES.map((type) => [`json-schema/draft-4/${type}.json`, eventJsonSchema(type, "draft-4")]));
}

/** Without what only our own generators read: a strict validator refuses a keyword that it does not know. */
function strict(schema: JsonSchema): JsonSchema {
  return mapSchemas(schema, ({ "x-extensible-enum": _, ...others }) => others);
}

/** All events in one schema, each named object once: what code is generated from. */
export function bundle(): Bundle {
  const definitions: Bundle["$defs"] = {};
  const names: string[] = [];
  for (const type of EVENT_TYPES) {
    const { $schema, $defs, ...event } = eventJsonSchema(type, "draft-2020-12");
    names.push(event.title);
    for (const [name, schema] of [[event.title, event], ...Object.entries($defs as Bundle["$defs"])] as const) {
      const known = definitions[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
        throw new Error(`two schemas have the name ${name}`);
      }
      definitions[name] = schema;
    }
  }
  return {
    $schema: DRAFT,
    $id: idOf("events"),
    title: "SurveyPollerEvent",
    description: "Any event of the poller, as EventBridge delivers it",
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: definitions,
  };
}

/** A copy in which every schema has gone through `change`, the innermost first. */
export function mapSchemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const within = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(within);
    return typeof part === "object" && part !== null ? mapSchemas(part as JsonSchema, change) : part;
  };
  return change(Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, within(part)])));
}
