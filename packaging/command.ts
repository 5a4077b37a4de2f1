import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundlePage } from "../console/assets.ts";
import { REQUIRE } from "./modules.ts";
import { SHARED } from "./shared.ts";

/** The operator's command with everything that it uses but zod, and the live page as it is served. */
export async function buildCommand(root: string, out: string): Promise<void> {
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
