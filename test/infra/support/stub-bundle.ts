import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** In place of the bundler where only the template counts: the same files, without compiling the functions each time. */
export function bundleFunction(name: string, outDir: string, config?: unknown): void {
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, "index.mjs"), `export const handler = async () => "${name}";\n`);
  if (config !== undefined) writeFileSync(join(outDir, "config.json"), JSON.stringify(config));
}
