import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, succeed } from "./processes.ts";

const HERE = join(import.meta.dirname, "..");
const REQUIREMENTS = join(HERE, "requirements.txt");
const FOLDER = join(HERE, ".venv");
const STAMP = join(FOLDER, "installed");

export interface Python {
  /** The interpreter that has the emulator and the AWS command line. */
  python: string;
  installed: "just now" | "before";
}

/**
 * A Python environment with exactly what requirements.txt names, kept in `test/deploy/.venv` for the next run.
 *
 * @throws Error when there is no Python 3.11 with `venv`, or the packages cannot be had
 */
export async function installPython(): Promise<Python> {
  const python = join(FOLDER, "bin", "python");
  const stamp = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp && existsSync(python)) {
    return { python, installed: "before" };
  }
  // With the caller's own environment: it may name a proxy or a mirror.
  const options = { cwd: HERE, env: { ...process.env } as Record<string, string>, limit: 180_000 };
  const check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
  const usable = await run("python3", ["-c", check], options).catch((error: unknown) => ({ code: 1, stderr: error }));
  if (usable.code !== 0) {
    throw new Error(`python3 of at least 3.11 with venv is needed: apt-get install python3-venv\n${usable.stderr}`);
  }
  await succeed("python3", ["-m", "venv", "--clear", FOLDER], options);
  const quietly = ["--quiet", "--disable-pip-version-check", "--no-input"];
  // Most of what is installed is never imported, and need not be compiled.
  const install = ["-m", "pip", "install", ...quietly, "--no-compile", "--require-hashes", "-r", REQUIREMENTS];
  await succeed(python, install, options);
  writeFileSync(STAMP, stamp);
  return { python, installed: "just now" };
}
