import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Architecture, Runtime, RuntimeFamily } from "aws-cdk-lib/aws-lambda";
import { assembleWorker } from "../../../examples/sqs-worker-python/worker-code.ts";
import { pythonModels } from "../../../lib/events/generate/python.ts";
import { temporaryFolder } from "../../infra/support/temporary-folder.ts";

/** Writes the models of the contract into the folder, where a reader has them in the installed package; gives their path. */
export function writeModels(folder: string): string {
  const file = join(folder, "models.py");
  writeFileSync(file, pythonModels());
  return file;
}

export type PythonWorker = Awaited<ReturnType<typeof startPythonWorker>>;

/** Version of this machine's python3, such as "3.11", and its processor. */
export function hostPython(): { pythonVersion: string; architecture: "arm64" | "x86_64" } {
  const script = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')";
  const pythonVersion = execFileSync("python3", ["-c", script], { encoding: "utf8" }).trim();
  return { pythonVersion, architecture: process.arch === "arm64" ? "arm64" : "x86_64" };
}

/** Puts the worker, with all that is deployed of it, into a folder, for the Python of this machine. */
export function assembleHere(folder: string, models: string): void {
  const { pythonVersion, architecture } = hostPython();
  const processor = architecture === "arm64" ? Architecture.ARM_64 : Architecture.X86_64;
  assembleWorker(folder, new Runtime(`python${pythonVersion}`, RuntimeFamily.PYTHON), processor, models);
}

/** The worker as it is deployed, at work. */
export async function startPythonWorker(env: Record<string, string>) {
  const folder = temporaryFolder();
  assembleHere(folder, writeModels(folder));
  const script = join(import.meta.dirname, "run_worker.py");
  // Without the packages of this machine: the worker brings what it needs. An empty profile is one that boto3 does not find.
  const { AWS_PROFILE: _, ...others } = env;
  const child = spawn("python3", ["-S", script, folder, "handler", "lambda_handler"], {
    env: { ...others, PATH: process.env.PATH ?? "", PYTHONDONTWRITEBYTECODE: "1" },
  });
  // An end of it is told by the answer that does not come.
  child.stdin.on("error", () => {});
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    /** Works one batch off, whose message ids are the positions. Gives the ids of the messages that failed. */
    async handle(bodies: readonly string[]): Promise<string[]> {
      child.stdin.write(`${JSON.stringify({ Records: bodies.map(message) })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the worker has ended: ${log}`);
      const { failed, result } = JSON.parse(value) as {
        failed?: string;
        result: { batchItemFailures: { itemIdentifier: string }[] };
      };
      if (failed !== undefined) throw new Error(failed);
      return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    /** Everything that was logged. */
    log: () => log,
    async close() {
      const ended = once(child, "exit");
      child.stdin.end();
      if (child.exitCode === null) await ended;
    },
  };
}

function message(body: string, index: number): object {
  const received = { ApproximateReceiveCount: "1", ApproximateFirstReceiveTimestamp: "1773144030000" };
  return {
    messageId: String(index),
    receiptHandle: "handle",
    body,
    attributes: { ...received, SentTimestamp: "1773144030000", SenderId: "events" },
    messageAttributes: {},
    md5OfBody: "d41d8cd98f00b204e9800998ecf8427e",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:queue",
    awsRegion: "us-east-1",
  };
}
