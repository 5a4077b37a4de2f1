import { asyncapi } from "./asyncapi.ts";
import { declaration } from "./declaration.ts";
import { goldenEvents } from "./golden/events.ts";
import { javaFiles } from "./java.ts";
import { schemaFiles } from "./schemas.ts";

/** All of `contract/` but the Python models, as text by path: the same each time. */
export async function contractFiles(): Promise<Map<string, string>> {
  const golden = await goldenEvents();
  return new Map([
    ...[...schemaFiles()].map(([path, schema]): [string, string] => [path, asText(schema)]),
    ...[...golden].map(([name, event]): [string, string] => [`golden/${name}.json`, asText(event)]),
    ["asyncapi.yaml", asyncapi(golden)],
    ["events.d.ts", await declaration()],
    ...(await javaFiles()),
  ]);
}

const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
