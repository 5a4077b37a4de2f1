import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Assets } from "./bundle-page.ts";

/** Where the published package has the page bundled; a checkout has its sources there. */
const PAGE = join(import.meta.dirname, "page");

/** Gives the page as it is served; a checkout bundles it once, when it is asked for first. */
export function bundleOnce(): () => Promise<Assets> {
  let bundled: Promise<Assets> | undefined;
  return () => {
    bundled ??= readOrBundle();
    return bundled;
  };
}

async function readOrBundle(): Promise<Assets> {
  const read = (name: string): string => readFileSync(join(PAGE, name), "utf8");
  if (existsSync(join(PAGE, "main.js"))) return { script: read("main.js"), style: read("style.css") };
  // Loaded here only: the package has no bundler.
  const { bundlePage } = await import("./bundle-page.ts");
  return bundlePage();
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
