import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { killGroup, run, startGroup, succeed } from "./processes.ts";
import { until } from "./until.ts";

const HERE = join(import.meta.dirname, "..");
const VENV = join(HERE, ".venv");
/** The interpreter that has the emulator and the AWS command line. */
export const PYTHON = join(VENV, "bin", "python");

/**
 * A Python environment with exactly what requirements.txt names, kept in `test/deploy/.venv` for the next run. Gives whether it was there.
 *
 * @throws Error when there is no Python 3.11 with `venv`, or the packages cannot be had
 */
export async function installEmulator(): Promise<"just now" | "before"> {
  const requirements = join(HERE, "requirements.txt");
  const file = join(VENV, "installed");
  const stamp = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(file) && readFileSync(file, "utf8") === stamp) return "before";
  // With the caller's own environment: it may name a proxy or a mirror.
  const options = { cwd: HERE, env: { ...process.env } as Record<string, string>, limit: 180_000 };
  const check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
  const usable = await run("python3", ["-c", check], options).catch((error: unknown) => ({ code: 1, stderr: error }));
  if (usable.code !== 0) {
    throw new Error(`python3 of at least 3.11 with venv is needed: apt-get install python3-venv\n${usable.stderr}`);
  }
  await succeed("python3", ["-m", "venv", "--clear", VENV], options);
  const quietly = ["--quiet", "--disable-pip-version-check", "--no-input"];
  // Most of what is installed is never imported, and need not be compiled.
  const install = ["-m", "pip", "install", ...quietly, "--no-compile", "--require-hashes", "-r", requirements];
  await succeed(PYTHON, install, options);
  writeFileSync(file, stamp);
  return "just now";
}

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/**
 * AWS as far as the stack uses it, on a free port of 127.0.0.1, with all its state in a folder.
 *
 * @param trusted a certificate that the functions trust beside those of the world, as the endpoint of a test has it
 */
export async function startEmulator(folder: string, trusted?: string) {
  const state = join(folder, "state");
  const temporary = join(folder, "tmp");
  for (const one of [state, temporary]) mkdirSync(one, { recursive: true });
  const { PATH = "", HOME = folder } = process.env;
  // The functions run on the first node of this path: the one that runs this.
  const path = [dirname(process.execPath), PATH].join(delimiter);
  const log = join(folder, "emulator.log");
  const child = startGroup(PYTHON, [join(HERE, "emulator", "serve.py")], {
    cwd: folder,
    env: {
      PATH: path,
      HOME: folder,
      TMPDIR: temporary,
      STATE_DIR: state,
      S3_DATA_DIR: join(state, "s3"),
      // The functions are started with this environment.
      ...(trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
    },
  });
  // An end of it is seen by what is asked of it next.
  child.stdin.on("error", () => {});
  child.stderr.pipe(createWriteStream(log));
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`the emulator ended as it began: see ${log}`))),
  ])) as [string];
  const url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
  const isReady = async () => (await fetch(`${url}/_ministack/health`).catch(() => undefined))?.ok === true;
  await until("the emulator is not ready", isReady);
  return {
    url,
    /** What a command needs in its environment to take the emulator for AWS. */
    env: {
      PATH: [programsIn(folder), path].join(delimiter),
      HOME,
      TMPDIR: temporary,
      CDK_HOME: join(folder, "cdk"),
      CDK_DISABLE_CLI_TELEMETRY: "true",
      CDK_DISABLE_VERSION_CHECK: "true",
      CDK_NOTICES: "false",
      // Nobody is there to say yes.
      CDK_REQUIRE_APPROVAL: "never",
      NO_COLOR: "1",
      AWS_ENDPOINT_URL: url,
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: "us-east-1",
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      AWS_EC2_METADATA_DISABLED: "true",
    },
    /** Kills the polling function where it is at work, as a timeout would. Gives how many processes that were. */
    async kill(): Promise<number> {
      const answer = await fetch(`${url}/_test/kill`);
      return ((await answer.json()) as { killed: number }).killed;
    },
    async stop(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      const timer = setTimeout(() => killGroup(child.pid, "SIGKILL"), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** `cfn-lint`, and `aws`, told the endpoint in so many words: for queues it takes their public address over the variable. */
function programsIn(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const programs = {
    aws: `"${PYTHON}" -m awscli --endpoint-url "$AWS_ENDPOINT_URL"`,
    "cfn-lint": `"${join(dirname(PYTHON), "cfn-lint")}"`,
  };
  for (const [name, program] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  }
  return bin;
}
