import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { AssetHashType } from "aws-cdk-lib";
import { type Architecture, Code, type Runtime } from "aws-cdk-lib/aws-lambda";

const WORKER = join(import.meta.dirname, "worker");

/** The worker with all that it imports, for a runtime that may be another than that of this machine. Docker is not needed. */
export function workerCode(runtime: Runtime, architecture: Architecture): Code {
  return Code.fromAsset(WORKER, {
    // Of what is deployed: the models come from outside of the folder.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: runtime.bundlingImage,
      local: {
        tryBundle(folder) {
          assembleWorker(folder, runtime, architecture);
          return true;
        },
      },
    },
  });
}

/**
 * Puts the worker, the models of the contract and the packages of requirements.txt into a folder. pip takes wheels only: pydantic has native
 * code, which differs between processors and versions of Python.
 *
 * @param models the file with the models, by default that of the installed survey poller
 * @throws Error where there is no python3 with pip, or a package cannot be had; pip has printed why
 */
export function assembleWorker(
  folder: string,
  runtime: Runtime,
  architecture: Architecture,
  models = installedModels(),
): void {
  const processor = architecture.name === "arm64" ? "aarch64" : "x86_64";
  // What else is installed on this machine is of no concern.
  const quietly =
    "--quiet --disable-pip-version-check --no-input --no-compile --no-warn-conflicts --root-user-action ignore";
  const wheels = `--only-binary :all: --implementation cp --python-version ${runtime.name.replace("python", "")}`;
  // Newer wheels name the C library that they need instead.
  const platforms = `--platform manylinux2014_${processor} --platform manylinux_2_28_${processor}`;
  const packages = ["--require-hashes", "--requirement", join(WORKER, "requirements.txt"), "--target", folder];
  const install = [..."-m pip install".split(" "), ...`${quietly} ${wheels} ${platforms}`.split(" "), ...packages];
  try {
    execFileSync("python3", install, { stdio: ["ignore", "ignore", "inherit"] });
  } catch (cause) {
    throw new Error(`The packages of the worker could not be installed. "python3 -m pip" must work here.`, { cause });
  }
  // Programs of the packages begin with the path of this machine's Python.
  rmSync(join(folder, "bin"), { recursive: true, force: true });
  for (const file of globSync("*.py", { cwd: WORKER })) copyFileSync(join(WORKER, file), join(folder, file));
  copyFileSync(models, join(folder, "survey_poller_events.py"));
}

function installedModels(): string {
  return createRequire(import.meta.url).resolve("survey-poller/contract/python/survey_poller_events.py");
}
