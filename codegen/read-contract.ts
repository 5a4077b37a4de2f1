import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract, GoldenEvent } from "./compatibility.ts";
import type { JsonSchema } from "./schemas.ts";

/** The contract in `contract/`, or a released one below it. Of which draft its schemas are depends on their folder. */
export function readContract(folder: string, schemas = "json-schema"): Contract {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const names = (part: string): string[] =>
    globSync("*.json", { cwd: join(folder, part) })
      .map((file) => file.replace(/\.json$/, ""))
      .sort();
  // That of all events is no event's own.
  const types = names(schemas).filter((type) => type !== "events");
  return {
    schemas: new Map(types.map((type) => [type, read(`${schemas}/${type}.json`) as JsonSchema])),
    golden: new Map(names("golden").map((name) => [name, read(`golden/${name}.json`) as GoldenEvent])),
  };
}
