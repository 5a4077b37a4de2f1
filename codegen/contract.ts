import { asyncapi } from "./asyncapi.ts";
import { declaration } from "./declaration.ts";
import { goldenEvents } from "./golden/events.ts";
import { javaFiles } from "./java.ts";
import { pythonModels } from "./python.ts";
import { draft4Files, schemaFiles } from "./schemas.ts";

/** Parts that only some consumers need. */
export interface Wanted {
  draft4?: boolean | undefined;
  java?: boolean | undefined;
  python?: boolean | undefined;
}

/** The contract as text by path: the same each time. */
export async function contractFiles({ draft4, java, python }: Wanted): Promise<Map<string, string>> {
  const golden = await goldenEvents();
  const documents: [string, unknown][] = [
    ...schemaFiles(),
    ...(draft4 === true ? draft4Files() : []),
    ...[...golden].map(([name, event]): [string, unknown] => [`golden/${name}.json`, event]),
  ];
  return new Map([
    ...documents.map(([path, value]): [string, string] => [path, `${JSON.stringify(value, null, 2)}\n`]),
    ["asyncapi.yaml", asyncapi(golden)],
    ["events.d.ts", await declaration()],
    ...(java === true ? await javaFiles() : []),
    ...(python === true ? [["python/survey_poller_events.py", pythonModels()] as const] : []),
  ]);
}
