/**
 * Writes `contract/`: the files that consumers of the events build on. All of them come from the schemas in lib/events.
 *
 * ```sh
 * node codegen/main.ts                 # all but the Python models
 * node codegen/main.ts --python        # the Python models alone; needs python3 with venv
 * node codegen/main.ts --release 1.0   # keeps the present files as a released version, for later ones to be compared with
 * ```
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { contractFiles } from "./contract.ts";
import { pythonFiles } from "./python/models.ts";

const CONTRACT = join(import.meta.dirname, "../contract");

const { values } = parseArgs({ options: { python: { type: "boolean" }, release: { type: "string" } } });
if (values.release !== undefined) release(values.release);
else write(values.python === true ? pythonFiles() : await contractFiles());

function write(files: ReadonlyMap<string, string>): void {
  for (const folder of new Set(
    [...files.keys()].filter((path) => path.includes("/")).map((path) => path.split("/")[0]),
  ))
    rmSync(join(CONTRACT, String(folder)), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(CONTRACT, path)), { recursive: true });
    writeFileSync(join(CONTRACT, path), text);
  }
  console.log(`${files.size} files in contract/`);
}

function release(version: string): void {
  if (!/^\d+\.\d+$/.test(version)) throw new Error(`--release takes a version such as 1.0, not ${version}`);
  const folder = join(CONTRACT, "released", version);
  rmSync(folder, { recursive: true, force: true });
  for (const part of ["golden", "json-schema", "events.d.ts"])
    cpSync(join(CONTRACT, part), join(folder, part), { recursive: true });
  console.log(`contract/released/${version}`);
}
