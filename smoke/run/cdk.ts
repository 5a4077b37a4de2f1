import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { SETTINGS_VARIABLE } from "../settings.ts";
import { CheckFailedError } from "./check.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Of what it has printed, so many lines are quoted. */
const QUOTED = 12;

/**
 * Runs the CDK's command line on the smoke's own app.
 *
 * @throws CheckFailedError with the end of what it has printed, when it fails
 */
export async function runCdk(
  args: readonly string[],
  { folder, profile, signal }: { folder: string; profile?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { code, text } = await run([...args, "--app", `"${process.execPath}" smoke/app.ts`], folder, profile, signal);
  signal.throwIfAborted();
  if (code === 0) return;
  const end = text.trimEnd().split("\n").slice(-QUOTED).join("\n");
  throw new CheckFailedError(
    `cdk ${args.slice(0, 2).join(" ")} ended with ${code}: ${end}`,
    "see the stack's events in CloudFormation; where it says that the account is not bootstrapped, npx cdk bootstrap",
  );
}

function run(
  args: readonly string[],
  folder: string,
  profile: string | undefined,
  signal: AbortSignal,
): Promise<{ code: number | null; text: string }> {
  const env = {
    ...process.env,
    [SETTINGS_VARIABLE]: join(folder, "settings.json"),
    CDK_DISABLE_VERSION_CHECK: "true",
    CDK_NOTICES: "false",
    NO_COLOR: "1",
    ...(profile === undefined ? {} : { AWS_PROFILE: profile }),
  };
  const command = join(ROOT, "node_modules/aws-cdk/bin/cdk");
  // A group of its own: Ctrl-C is for this process, which ends the command and then cleans up.
  const child = spawn(process.execPath, [command, ...args, "--output", join(folder, "cdk.out")], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  signal.addEventListener("abort", stop, { once: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      signal.removeEventListener("abort", stop);
      done({ code, text });
    });
  });
}
