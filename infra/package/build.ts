import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { bundlePage } from "../../lib/console/assets.ts";
import { bundleFunction } from "../bundle.ts";
import { writeTemplate } from "./template.ts";

// The package as it is published. `node infra/package/build.ts [--out DIR]`; by default into dist/.
const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);

/** Settings of every bundle of the package. Names and lines stay readable: people read them in stack traces. */
const SHARED = {
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"],
  external: ["aws-cdk-lib", "constructs", "zod", "esbuild"],
  // `writeLicenses` writes all of them.
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Modules that can be imported, by the name after `survey-poller/`. */
const ENTRIES = {
  infra: "infra/index.ts",
  events: "lib/events/index.ts",
  "survey-api": "lib/survey-api/index.ts",
} as const;

/** The oldest Node that CDK apps of today run on. What the modules read of themselves exists there as it does in Node 24. */
const TARGET = "node20.11";

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
const REQUIRE =
  'import { createRequire as bundleRequire } from "node:module"; const require = bundleRequire(import.meta.url ?? process.cwd() + "/");';

const IMPORT = /(\bfrom\s+|\bimport\(\s*)(["'])(\.[^"']*)\.ts\2/g;

rmSync(out, { recursive: true, force: true });
await buildModules();
writeDeclarations();
await buildCommand();
await writeLicenses();
for (const name of ["poll", "forward"] as const) bundleFunction(name, join(out, "functions", name));
writeTemplate(join(out, "cloudformation"), join(out, "functions/poll"));
cpSync(join(out, "LICENSES.txt"), join(out, "cloudformation/LICENSES.txt"));

/**
 * Each entry as an ES module and as CommonJS, since many CDK apps and their tests are CommonJS. Libraries are bundled, so that an installation
 * brings nothing but zod; aws-cdk-lib and constructs are the app's own.
 */
async function buildModules(): Promise<void> {
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

/** The operator's command with everything that it uses but zod, and the live page as it is served. */
async function buildCommand(): Promise<void> {
  const folder = join(out, "bin");
  await build({
    ...SHARED,
    absWorkingDir: root,
    entryPoints: { main: "lib/cli/main.ts" },
    outdir: folder,
    format: "esm",
    splitting: true,
    minifySyntax: true,
    target: "node22.19",
    banner: { js: REQUIRE },
    define: { IS_PACKAGE: "true" },
  });
  cpSync(join(root, "infra/package/survey-poller.mjs"), join(folder, "survey-poller.mjs"));
  const { script, style } = await bundlePage();
  mkdirSync(join(folder, "page"));
  writeFileSync(join(folder, "page/main.js"), script);
  writeFileSync(join(folder, "page/style.css"), style);
}

/**
 * Declarations beside each format: TypeScript takes those below `esm` for ES modules, and those below `cjs` for CommonJS. Only what an entry
 * reaches is written, so that they name no library that an installation lacks.
 */
function writeDeclarations(): void {
  const all = mkdtempSync(join(tmpdir(), "survey-poller-types-"));
  try {
    const compiler = join(root, "node_modules/.bin/tsc");
    execFileSync(compiler, ["-p", join(root, "infra/package"), "--outDir", all], { stdio: "inherit" });
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

/**
 * The licences of all libraries that the package holds in its bundles: each asks for its text to go with every copy.
 *
 * @throws Error when a library says nothing of its licence
 */
async function writeLicenses(): Promise<void> {
  const namesByText = Map.groupBy(await bundledLibraries(), (folder) => licenseOf(join(root, folder)));
  const parts = [...namesByText].map(
    ([text, folders]) => `${folders.map((it) => nameOf(join(root, it))).join("\n")}\n\n${text}\n`,
  );
  const head = "The bundles of this package hold these libraries.";
  writeFileSync(join(out, "LICENSES.txt"), `${head}\n\n${parts.join("\n---\n\n")}`);
}

function licenseOf(folder: string): string {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
  const { license } = manifestOf(folder);
  if (license === undefined) throw new Error(`${nameOf(folder)} has no licence: the package must not hold it.`);
  return license;
}

function nameOf(folder: string): string {
  const { name, version } = manifestOf(folder);
  return `${name} ${version}`;
}

function manifestOf(folder: string): { name: string; version: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Folders of the libraries that any of the package's bundles takes something of. */
async function bundledLibraries(): Promise<string[]> {
  const entries = [
    ...Object.values(ENTRIES),
    "lib/cli/main.ts",
    "lib/console/page/main.ts",
    ...globSync("functions/*.ts", { cwd: root }),
  ];
  const { metafile } = await build({
    ...SHARED,
    absWorkingDir: root,
    entryPoints: entries,
    outdir: join(root, ".bundle"),
    write: false,
    metafile: true,
    format: "esm",
    // The last two are a checkout's own AWS, which no bundle holds. The functions hold zod.
    external: [...SHARED.external.filter((name) => name !== "zod"), "dynalite", "fauxqs"],
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}
