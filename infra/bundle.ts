import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { CONFIG_FILE, type DeployedConfig } from "../lib/config/deployed-config.ts";
import { parseConfig } from "../lib/config/parse.ts";

/** The checkout, or in the package `dist`. */
const ROOT = resolve(import.meta.dirname, "..");
/** Where functions lie bundled: in the package, whose users need no bundler, or where a run of tests has made them for all its processes. */
const BUNDLED = process.env.SURVEY_POLLER_FUNCTIONS ?? join(ROOT, "functions");

/** undici and a few parts of the SDK call `require`, which an ES module does not have. */
const BANNER = 'import{createRequire as bundleRequire}from"node:module";const require=bundleRequire(import.meta.url);';

export type FunctionName = "poll" | "forward";

/**
 * Bundles the function into a folder that is the whole of its deployment package: `index.mjs`, the modules that it imports, their source maps
 * and, when given, the configuration as `config.json`, raw and parsed. What was in the folder goes. The same input gives the same bytes anywhere.
 *
 * @returns the module Lambda loads (handler `index.handler`), and the size of all modules, of which it loads some only when they are needed
 * @throws Error when the function does not exist or does not compile
 */
export function bundleFunction(name: FunctionName, outDir: string, config?: unknown) {
  const built = join(BUNDLED, name);
  if (!existsSync(built)) return bundleEntry(join(ROOT, "functions", `${name}.ts`), outDir, config);
  clear(outDir);
  for (const file of readdirSync(built)) copyFileSync(join(built, file), join(outDir, file));
  return finished(outDir, config);
}

/** Bundles any module that exports `handler`, by the same settings. */
export function bundleEntry(entry: string, outDir: string, config?: unknown) {
  if (!existsSync(entry)) throw new Error(`There is no ${basename(entry)} to bundle: ${entry} does not exist.`);
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const built = buildSync({
    entryPoints: [entry],
    // Never written there: paths in the source map are relative to it, and must not follow the folder the bundle lands in.
    outdir: join(ROOT, ".bundle", basename(entry, ".ts")),
    entryNames: "index",
    outExtension: { ".js": ".mjs" },
    // What only an operator's command needs is a file of its own, and no part of a cold start.
    splitting: true,
    absWorkingDir: ROOT,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // Takes the ES module builds of the SDK, which can be shaken: half the start-up time of the CommonJS ones.
    mainFields: ["module", "main"],
    minify: true,
    keepNames: false,
    legalComments: "none",
    banner: { js: BANNER },
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "silent",
  });
  clear(outDir);
  for (const output of built.outputFiles) writeFileSync(join(outDir, basename(output.path)), output.contents);
  return finished(outDir, config);
}

/** A module that an earlier bundle has left behind would make another deployment package of the same sources. */
function clear(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
}

function finished(outDir: string, config: unknown) {
  if (config !== undefined) {
    const built: DeployedConfig = { raw: config, config: parseConfig(config, { deployed: false }) };
    writeFileSync(join(outDir, CONFIG_FILE), `${JSON.stringify(built, null, 2)}\n`);
  }
  const modules = readdirSync(outDir).filter((name) => name.endsWith(".mjs"));
  const bytes = modules.reduce((sum, name) => sum + statSync(join(outDir, name)).size, 0);
  return { file: join(outDir, "index.mjs"), bytes };
}
