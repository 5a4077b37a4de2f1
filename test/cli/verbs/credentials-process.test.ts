import { type SpawnSyncReturns, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it } from "vitest";
import { readCredentials } from "../../../lib/secrets/credentials.ts";
import { useAws } from "../../lib/support/aws.ts";

const test = useAws();
const ROOT = resolve(import.meta.dirname, "../../..");
const stdin = "me\nhunter2-of-the-client\n";

/** The command in a process of its own, which knows of no other AWS than the one it is told. */
async function run(
  args: string[],
  environment: Record<string, string>,
): Promise<Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">> {
  const alone = {
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const child = spawn(process.execPath, [join(ROOT, "cli/bin/survey-poller.mjs"), "credentials", "--yes", ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...alone, ...environment },
  });
  child.stdin.end(stdin);
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done) => child.on("close", done)),
  ]);
  return { status, stdout, stderr };
}

describe("the command as a process", () => {
  it("finds AWS by the environment, fills the secret and ends well", async () => {
    const Name = "SurveyPoller/main/credentials";
    await test.clients.secrets.send(new CreateSecretCommand({ Name }));
    const { status, stdout, stderr } = await run([], {
      AWS_ENDPOINT_URL: test.aws.endpoints.secretsmanager,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: test.aws.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: "local",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^filled: SurveyPoller\/main\/credentials, version /);
    const stored = await readCredentials(test.clients.secrets, Name);
    expect(stored).toEqual({ clientId: "me", clientSecret: "hunter2-of-the-client" });
  });

  it.each([
    ["no region", {}, "no AWS region is set. Set AWS_REGION to the region of the stack.\n"],
    [
      "no credentials of AWS",
      { AWS_REGION: "us-east-1" },
      "there are no AWS credentials. Set AWS_PROFILE, or sign in: `aws sso login`.\n",
    ],
  ])("with %s ends with one line that says what to do", async (_what, environment, line) => {
    expect(await run([], environment)).toEqual({ status: 4, stdout: "", stderr: line });
  });
});
