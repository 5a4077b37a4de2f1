import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ENTRIES, SHARED } from "./modules.ts";

/**
 * The licences of all libraries that the package holds in its bundles: each asks for its text to go with every copy.
 *
 * @throws Error when a library says nothing of its licence
 */
export async function writeLicenses(root: string, out: string): Promise<void> {
  const namesByText = Map.groupBy(await bundledLibraries(root), (folder) => licenseOf(join(root, folder)));
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

const nameOf = (folder: string): string => `${manifestOf(folder).name} ${manifestOf(folder).version}`;

function manifestOf(folder: string): { name: string; version: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Folders of the libraries that any of the package's bundles takes something of. */
async function bundledLibraries(root: string): Promise<string[]> {
  const entries = [
    ...Object.values(ENTRIES),
    "cli/main.ts",
    "console/page/main.ts",
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
    // A checkout's own AWS, which no bundle holds.
    external: [...SHARED.external, "dynalite", "fauxqs"],
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}
