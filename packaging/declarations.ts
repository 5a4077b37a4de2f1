import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { ENTRIES } from "./modules.ts";

/** Relative imports of a declaration. */
const IMPORT = /(\bfrom\s+|\bimport\(\s*)(["'])(\.[^"']*)\.ts\2/g;

/**
 * Declarations beside each format: TypeScript takes those below `esm` for ES modules, and those below `cjs` for CommonJS. Only what an entry
 * reaches is written, so that they name no library that an installation lacks.
 */
export function writeDeclarations(root: string, out: string): void {
  const all = mkdtempSync(join(tmpdir(), "survey-poller-types-"));
  try {
    const compiler = join(root, "node_modules/.bin/tsc");
    execFileSync(compiler, ["-p", join(root, "packaging"), "--outDir", all], { stdio: "inherit" });
    for (const file of reachable(all)) {
      const to = join(out, "esm/types", file);
      mkdirSync(dirname(to), { recursive: true });
      // The compiler rewrites the extensions of imports in what runs, but not in declarations.
      writeFileSync(to, readFileSync(join(all, file), "utf8").replace(IMPORT, "$1$2$3.js$2"));
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
  cpSync(join(out, "esm/types"), join(out, "cjs/types"), { recursive: true });
}

/** Declarations that the entries import, and what those import, as paths below the folder. */
function reachable(folder: string): Set<string> {
  const found = new Set(Object.values(ENTRIES).map((source) => source.replace(/\.ts$/, ".d.ts")));
  for (const file of found) {
    for (const [, , , specifier = ""] of readFileSync(join(folder, file), "utf8").matchAll(IMPORT)) {
      found.add(normalize(join(dirname(file), `${specifier}.d.ts`)));
    }
  }
  return found;
}
