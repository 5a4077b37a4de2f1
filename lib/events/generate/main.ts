/**
 * Writes the contract: the files that consumers of the events build on. All of them come from the schemas in lib/events.
 * Only `contract/golden` is kept in git.
 *
 * Usage: node lib/events/generate/main.ts [--out DIR]
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { contractFiles } from "./contract.ts";

const { values } = parseArgs({
  options: { out: { type: "string", default: join(import.meta.dirname, "../../../contract") } },
});
const out = resolve(values.out);
const files = await contractFiles();

for (const folder of ["golden", "java", "json-schema", "python"]) {
  rmSync(join(out, folder), { recursive: true, force: true });
}
for (const [path, text] of files) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}
console.log(`${files.size} files in ${out}`);
