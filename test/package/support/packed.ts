import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

export const root = join(import.meta.dirname, "../../..");
export const run = promisify(execFile);

/** The package as it would be published. */
export interface Packed {
  /** Everything of this test, to be removed in the end. */
  folder: string;
  /** The tarball. */
  file: string;
  /** Paths in it. */
  files: string[];
}

/** Builds and packs the package as it is, in an empty folder: by default a temporary one. */
export async function packPackage(folder = mkdtempSync(join(tmpdir(), "survey-poller package-"))): Promise<Packed> {
  const source = join(folder, "source");
  mkdirSync(source);
  const { files: parts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  for (const part of ["package.json", "README.md", "LICENSE", ...parts]) {
    if (part !== "dist" && part !== "contract") cpSync(join(root, part), join(source, part), { recursive: true });
  }
  await run(process.execPath, [join(root, "infra/package/build.ts"), "--out", join(source, "dist")]);
  const contract = ["--out", join(source, "contract")];
  await run(process.execPath, [join(root, "lib/events/generate/main.ts"), ...contract]);
  // Scripts would build it once more.
  const { stdout } = await run("npm", ["pack", "--json", "--offline", "--ignore-scripts"], { cwd: source });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return { folder, file: join(source, packed.filename), files: packed.files.map(({ path }) => path) };
}

export function removePacked(packed: Packed | undefined): void {
  if (packed !== undefined) rmSync(packed.folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A project of somebody else, in a folder of its own. */
export interface Project {
  cwd: string;
  /** Runs a program there; gives what it prints. */
  run(file: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
}

/** Another version of Node for a project, such as "20.11.1": its folder of programs. */
export async function installNode(packed: Packed, version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(packed.folder, `node ${version}`);
  mkdirSync(folder);
  await run("npm", ["install", ...QUIETLY, "--prefix", folder, `${name}@${version}`], { cwd: folder });
  return join(folder, "node_modules", name, "bin");
}

/** An empty folder, or one of those in `projects/`; with `node` it runs on that one, by its folder of programs. */
export function openProject(
  packed: Packed,
  name: string,
  { node, from }: { node?: string; from?: string } = {},
): Project {
  const cwd = join(packed.folder, name);
  mkdirSync(cwd);
  if (from !== undefined) cpSync(join(import.meta.dirname, "../projects", from), cwd, { recursive: true });
  // Not what the test itself is run with: the project is on its own.
  const { PATH = "", HOME = "" } = process.env;
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => /^(npm_config_|https?_proxy$)/i.test(key)),
  );
  const path = [node ?? join(process.execPath, ".."), PATH].join(delimiter);
  return {
    cwd,
    async run(file, args, env = {}) {
      const options = { cwd, env: { ...own, HOME, PATH: path, ...env }, maxBuffer: 100 * 1024 * 1024 };
      const { stdout } = await run(file, args, options).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${file} ${args.join(" ")} failed.\n${error.stdout}\n${error.stderr}`);
      });
      return stdout;
    },
  };
}

const QUIETLY = ["--no-audit", "--no-fund", "--silent"];

/** As a reader would, but from the tarball instead of the registry. */
export async function installPackage(project: Project, { file }: Packed): Promise<void> {
  await project.run("npm", ["install", ...QUIETLY, file]);
}
