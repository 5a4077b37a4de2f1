import { globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build } from "esbuild";

/** Settings of every bundle of the package. Names and lines stay readable: people read them in stack traces. */
export const SHARED = {
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"],
  external: ["aws-cdk-lib", "constructs", "zod", "esbuild"],
  // packaging/licenses.ts writes all of them.
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Modules that can be imported, by the name after `survey-poller/`. */
export const ENTRIES = {
  infra: "infra/index.ts",
  events: "lib/events/index.ts",
  "survey-api": "lib/survey-api/index.ts",
} as const;

/** The oldest Node that CDK apps of today run on. What the modules read of themselves exists there as it does in Node 24. */
const TARGET = "node20.11";

/**
 * Each entry as an ES module and as CommonJS, since many CDK apps and their tests are CommonJS. Libraries are bundled, so that an installation
 * brings nothing but zod; aws-cdk-lib and constructs are the app's own.
 */
export async function buildModules(root: string, out: string): Promise<void> {
  const common = { ...SHARED, absWorkingDir: root, target: TARGET };
  const { "survey-api": client, ...plain } = ENTRIES;
  const esm = { ...common, outdir: join(out, "esm"), format: "esm" } as const;
  // Each module of the events in a file of its own: a reader's bundler takes those that are used.
  const parts = Object.fromEntries(
    globSync("lib/events/*.ts", { cwd: root }).map((file) => [`events/${basename(file, ".ts")}`, file]),
  );
  await build({ ...esm, entryPoints: { ...plain, ...parts }, splitting: true });
  await build({ ...esm, entryPoints: { "survey-api": client }, banner: { js: NEWER_NODE + REQUIRE } });
  const cjs = {
    ...common,
    outdir: join(out, "cjs"),
    format: "cjs",
    define: { "import.meta.dirname": "__dirname", "import.meta.url": "importMetaUrl" },
  } as const;
  const url = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';
  await build({ ...cjs, entryPoints: plain, banner: { js: url } });
  await build({ ...cjs, entryPoints: { "survey-api": client }, banner: { js: NEWER_NODE + url } });
  writeFileSync(join(out, "cjs/package.json"), '{ "type": "commonjs" }\n');
}

/** The client's transport needs what Node 20 lacks. An older Node is told so in one line, before it meets that. */
const NEWER_NODE = `{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 19)) throw new Error(\`survey-poller/survey-api needs Node 22.19 or newer, but runs on \${process.versions.node}.\`);
}
`;

/**
 * Some bundled libraries call `require`, which an ES module lacks. A reader's own bundler may make CommonJS of the module, where
 * `import.meta` is empty: modules of Node are found from any folder.
 */
export const REQUIRE =
  'import { createRequire as bundleRequire } from "node:module"; const require = bundleRequire(import.meta.url ?? process.cwd() + "/");';
