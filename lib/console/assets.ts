import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the published package has the page bundled; a checkout has its sources there. */
const PAGE = join(import.meta.dirname, "page");

/** Gives the page as it is served; a checkout bundles it once, when it is asked for first. */
export function bundleOnce(): () => Promise<Assets> {
  let assets: Promise<Assets> | undefined;
  const read = (name: string): string => readFileSync(join(PAGE, name), "utf8");
  return async () => {
    if (existsSync(join(PAGE, "main.js"))) return { script: read("main.js"), style: read("style.css") };
    assets ??= bundlePage();
    return assets;
  };
}

export const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>survey-poller</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script defer src="/main.js"></script>
</head>
<body><main id="page"><p class="empty">This page needs JavaScript.</p></main></body>
</html>
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="#1a7f4b"/></svg>`;

export interface Assets {
  script: string;
  style: string;
}

export async function bundlePage(): Promise<Assets> {
  // Loaded here only: the package has no bundler.
  const { build } = await import("esbuild");
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
