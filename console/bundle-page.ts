import { join } from "node:path";
import { build } from "esbuild";

/** The files of the page. */
export interface Assets {
  script: string;
  style: string;
}

const PAGE = join(import.meta.dirname, "page");

/** Bundles the page in memory. */
export async function bundlePage(): Promise<Assets> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGE, "main.ts"), join(PAGE, "style.css")],
    // Never written there.
    outdir: PAGE,
    write: false,
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { script: textOf("main.js"), style: textOf("style.css") };
}
