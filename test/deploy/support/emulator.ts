import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { killGroup, startGroup } from "./processes.ts";
import type { Python } from "./python.ts";

export interface Emulator {
  url: string;
  /** What a command needs in its environment to take the emulator for AWS. */
  env: Record<string, string>;
  /** What it has written. */
  log: string;
  stop(): Promise<void>;
}

/**
 * AWS as far as the stack uses it, on a free port of 127.0.0.1, with all its state in a folder.
 *
 * @param trusted a certificate that the functions trust beside those of the world, as the endpoint of a test has it
 */
export async function startEmulator({ python }: Python, folder: string, trusted?: string): Promise<Emulator> {
  const state = join(folder, "state");
  const temporary = join(folder, "tmp");
  for (const one of [state, temporary]) mkdirSync(one, { recursive: true });
  const { PATH = "", HOME = folder } = process.env;
  // The functions run on the first node of this path: the one that runs this.
  const path = [dirname(process.execPath), PATH].join(delimiter);
  const log = join(folder, "emulator.log");
  const child = startGroup(python, [join(import.meta.dirname, "..", "emulator", "serve.py")], {
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
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`the emulator ended as it began: see ${log}`))),
  ])) as [string];
  const url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
  await untilReady(url);
  return {
    url,
    log,
    env: {
      PATH: [programsIn(folder, python), path].join(delimiter),
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
    async stop() {
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
function programsIn(folder: string, python: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const programs = {
    aws: `"${python}" -m awscli --endpoint-url "$AWS_ENDPOINT_URL"`,
    "cfn-lint": `"${join(dirname(python), "cfn-lint")}"`,
  };
  for (const [name, program] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  }
  return bin;
}

async function untilReady(url: string): Promise<void> {
  for (const end = Date.now() + 20_000; ; await pause(50)) {
    const answer = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > end) throw new Error("the emulator is not ready after 20 s");
  }
}
