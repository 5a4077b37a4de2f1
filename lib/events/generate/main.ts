/**
 * Writes the contract: the files that consumers of the events build on. All of them come from the schemas in lib/events.
 * Only `contract/golden` is kept in git.
 *
 * Usage: node lib/events/generate/main.ts [--draft4] [--java] [--python] [--out DIR]
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { contractFiles } from "./contract.ts";

const { values } = parseArgs({
  options: {
    draft4: { type: "boolean" },
    java: { type: "boolean" },
    python: { type: "boolean" },
    out: { type: "string", default: join(import.meta.dirname, "../../../contract") },
  },
});
const out = resolve(values.out);
const files = await contractFiles(values);

for (const folder of ["golden", "java", "json-schema", "python"]) {
  rmSync(join(out, folder), { recursive: true, force: true });
}
for (const [path, text] of files) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}
console.log(`${files.size} files in ${out}`);
