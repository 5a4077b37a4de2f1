import { CfnRegistry, CfnSchema } from "aws-cdk-lib/aws-eventschemas";
import type { Construct } from "constructs";
import type { SourceConfig } from "../lib/config/index.ts";
import { DETAIL_TYPE, EVENT_TYPES, eventJsonSchema } from "../lib/events/index.ts";

/** Longest name that a registry may have; a bus may have a longer one. */
const LONGEST_NAME = 64;

/** The contract, where EventBridge's console and code bindings look for it: a schema for each type and each `source` that events come under. */
export function createSchemaRegistry(
  scope: Construct,
  busName: string,
  sources: readonly Pick<SourceConfig, "eventSource">[],
): CfnRegistry {
  const registry = new CfnRegistry(scope, "SchemaRegistry", {
    registryName: busName.slice(0, LONGEST_NAME),
    description: "Completed survey responses",
  });
  for (const eventSource of new Set(sources.map((source) => source.eventSource))) {
    // Schema discovery names its schemas so too. An event source may hold a slash, which the name of a schema may not. It may not hold "@",
    // so no two of them become one.
    const name = eventSource.replaceAll("/", "@");
    for (const type of EVENT_TYPES) {
      const schema = eventJsonSchema(type, "draft-4", eventSource);
      new CfnSchema(registry, type === DETAIL_TYPE ? name : `${name}@${type}`, {
        registryName: registry.attrRegistryName,
        schemaName: `${name}@${type}`,
        type: "JSONSchemaDraft4",
        description: schema.title,
        content: JSON.stringify(schema),
      });
    }
  }
  return registry;
}
