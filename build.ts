import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleFunction } from "./infra/bundle.ts";

// What the package exports as JavaScript and declarations, since Node strips types outside of node_modules only; and the functions, bundled.
// `node build.ts [--out DIR]`; by default into dist/.
const root = import.meta.dirname;
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);

rmSync(out, { recursive: true, force: true });
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", join(root, "tsconfig.build.json"), "--outDir", out], {
  stdio: "inherit",
});

// The compiler rewrites the extensions of imports in what runs, but not in declarations.
for (const file of globSync("**/*.d.ts", { cwd: out })) {
  const path = join(out, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/(\bfrom\s+|\bimport\(\s*)(["'])(\.[^"']*)\.ts\2/g, "$1$2$3.js$2"));
}

bundleFunction("poll", join(out, "functions", "poll"));
