import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleFunction } from "../infra/bundle.ts";
import { buildCommand } from "./command.ts";
import { writeDeclarations } from "./declarations.ts";
import { writeLicenses } from "./licenses.ts";
import { buildModules } from "./modules.ts";

// The package as it is published. `node packaging/build.ts [--out DIR]`; by default into dist/.
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);

rmSync(out, { recursive: true, force: true });
await buildModules(root, out);
writeDeclarations(root, out);
await buildCommand(root, out);
await writeLicenses(root, out);
for (const name of ["poll", "forward"] as const) bundleFunction(name, join(out, "functions", name));
