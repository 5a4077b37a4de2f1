import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { bundlePage } from "../console/assets.ts";
import { bundleFunction } from "../infra/bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { writeLicenses } from "./licenses.ts";
import { buildModules, REQUIRE, SHARED } from "./modules.ts";

// The package as it is published. `node packaging/build.ts [--out DIR]`; by default into dist/.
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);

rmSync(out, { recursive: true, force: true });
await buildModules(root, out);
writeDeclarations(root, out);
await buildCommand();
await writeLicenses(root, out);
for (const name of ["poll", "forward"] as const) bundleFunction(name, join(out, "functions", name));

/** The operator's command with everything that it uses but zod, and the live page as it is served. */
async function buildCommand(): Promise<void> {
  const folder = join(out, "bin");
  await build({
    ...SHARED,
    absWorkingDir: root,
    entryPoints: { main: "cli/main.ts" },
    outdir: folder,
    format: "esm",
    splitting: true,
    minifySyntax: true,
    target: "node22.19",
    banner: { js: REQUIRE },
    define: { IS_PACKAGE: "true" },
  });
  cpSync(join(root, "packaging/survey-poller.mjs"), join(folder, "survey-poller.mjs"));
  const { script, style } = await bundlePage();
  mkdirSync(join(folder, "page"));
  writeFileSync(join(folder, "page/main.js"), script);
  writeFileSync(join(folder, "page/style.css"), style);
}
