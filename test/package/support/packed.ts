import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export const root = join(import.meta.dirname, "../../..");
export const run = promisify(execFile);

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** The package as it would be published, installed in an otherwise empty folder. */
export interface Consumer {
  /** Everything below, to be removed in the end. */
  folder: string;
  /** Where modules of the consumer are run. */
  cwd: string;
  /** Where the package lies. */
  installed: string;
  packed: Packed;
  /** Runs a module of the consumer; gives what it prints as JSON. */
  runModule(name: string, source: string, env?: Record<string, string>): Promise<unknown>;
}

export async function pack(cwd: string, ...flags: string[]): Promise<Packed> {
  const { stdout } = await run("npm", ["pack", "--json", "--offline", "--ignore-scripts", ...flags], { cwd });
  const [packed] = JSON.parse(stdout) as [Packed];
  return packed;
}

/** Builds, packs and installs the package, with what an installation would put beside it and nothing else of this checkout. */
export async function installPackage(dependencies: readonly string[]): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-package-"));
  const source = join(folder, "source");
  mkdirSync(source);
  for (const file of ["package.json", "README.md", "LICENSE"]) cpSync(join(root, file), join(source, file));
  cpSync(join(root, "contract"), join(source, "contract"), { recursive: true });
  await run(process.execPath, [join(root, "build.ts"), "--out", join(source, "dist")]);
  const packed = await pack(source);
  const cwd = join(folder, "consumer");
  const installed = join(cwd, "node_modules/survey-poller");
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(source, packed.filename), "-C", installed, "--strip-components=1"]);
  for (const dependency of dependencies) {
    const target = join(cwd, "node_modules", dependency);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, "node_modules", dependency), target);
  }
  return {
    folder,
    cwd,
    installed,
    packed,
    async runModule(name, text, env = {}) {
      writeFileSync(join(cwd, name), text);
      const { stdout } = await run(process.execPath, [name], { cwd, env });
      return JSON.parse(stdout);
    },
  };
}
