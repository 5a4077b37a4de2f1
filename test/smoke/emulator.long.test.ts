import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListEventBusesCommand } from "@aws-sdk/client-eventbridge";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { ListSecretsCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clients, createClients } from "../../smoke/aws/clients.ts";
import { describeStack } from "../../smoke/aws/stacks.ts";
import { NAMES } from "../../smoke/names.ts";
import { createCdk, ROOT } from "../deploy/support/cdk.ts";
import { type Emulator, startEmulator } from "../deploy/support/emulator.ts";
import { installPython } from "../deploy/support/python.ts";

/** What can be seen on the emulator: it must be ok there. */
const SHOWN = [
  "deployed",
  "service",
  "poller",
  "schedule",
  "permissions-simulated",
  "large-to-queue",
  "large-to-function",
  "overlap",
  "kept-records",
  "metrics",
  "failure-destination",
  "replay",
];

/** What cannot, each with the beginning of the reason. */
const SKIPPED: Record<string, string> = {
  schema: "the emulator has no schema registry",
  "large-to-endpoint": "the emulator serves no function URLs",
  "webhook-secret": "the emulator serves no function URLs",
  alarms: "the emulator evaluates no alarms",
  "dead-letter-alarm": "the emulator evaluates no alarms",
  "permissions-used": "the emulator enforces no permissions",
  "bus-log": "the emulator writes no log of a bus",
  "cross-account": "no second account",
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "survey-poller smoke-")));
let emulator: Emulator;
let aws: Clients;
let names: { before: string[] };

beforeAll(async () => {
  const place = join(folder, "emulator");
  mkdirSync(place);
  emulator = await startEmulator(await installPython(), place);
  Object.assign(process.env, emulator.env, { PATH: process.env.PATH });
  aws = createClients();
  const config = join(folder, "my-survey.json");
  writeFileSync(config, JSON.stringify({ baseUrl: "https://surveys.example.com" }));
  const cdk = createCdk(emulator, folder);
  await cdk.run("bootstrap", "-c", `config=${config}`);
  await cdk.deploy("-c", `config=${config}`);
  names = { before: await everything() };
}, 300_000);

afterAll(async () => {
  await emulator?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("npm run smoke", () => {
  it("shows what the emulator can, says what it cannot, and leaves nothing behind", async () => {
    const { code, text } = await ended(smoke("--emulator"));
    const lines = new Map(text.split("\n").map((line) => [line.split(":")[0], line]));
    for (const name of SHOWN) expect(lines.get(name), text).toMatch(/^[a-z-]+: ok: .+ \(\d+ s\)$/);
    for (const [name, why] of Object.entries(SKIPPED))
      expect(lines.get(name), text).toContain(`${name}: skipped: ${why}`);
    // Where the emulator lets a bus with rules be deleted, which AWS does not, nothing is shown by it.
    const last = lines.get("destroy-and-import");
    expect(last, text).toMatch(/^destroy-and-import: (ok: |skipped: a bus that has rules can be deleted here)/);
    const isShown = last?.startsWith("destroy-and-import: ok") === true ? 1 : 0;
    const skipped = Object.keys(SKIPPED).length + 1 - isShown;
    expect(text).toMatch(new RegExp(`\n${SHOWN.length + isShown} passed, 0 failed, ${skipped} skipped\n$`));
    expect(code).toBe(0);
    expect(await everything()).toEqual(names.before);
  });

  it("removes what it has made when it is interrupted, at the first Ctrl-C", async () => {
    const running = smoke("--emulator", "--only", "schedule");
    await printed(running, /^service: ok/m);
    running.child.kill("SIGINT");
    const { code, text } = await ended(running);
    expect(text).toContain("poller: skipped: interrupted");
    expect(code).toBe(130);
    expect(await everything()).toEqual(names.before);
  });

  it("leaves what it has made with --keep, until --clean", async () => {
    const kept = await ended(smoke("--emulator", "--only", "service", "--keep"));
    expect(kept.text).toMatch(/\n2 passed, 0 failed, 0 skipped\n$/);
    expect(await everything()).toContain(NAMES.serviceStack);
    expect(await ended(smoke("--emulator", "--clean"))).toEqual({ code: 0, text: "" });
    expect(await everything()).toEqual(names.before);
  });

  it("fails with what to do, and exit code 1, where nothing was deployed before", async () => {
    const { code, text } = await ended(smoke("--emulator", "--stack", "Nowhere", "--only", "service"));
    expect(text).toContain(
      "deployed: FAILED: there is no stack Nowhere in this account and region. What to do: npx cdk deploy",
    );
    expect(text).toContain("service: skipped: deployed is not ok");
    expect(text).toMatch(/\n0 passed, 1 failed, 1 skipped\n$/);
    expect(code).toBe(1);
  });

  it("takes no emulator for AWS, and no AWS for an emulator", async () => {
    const { AWS_ENDPOINT_URL, ...without } = process.env;
    expect(AWS_ENDPOINT_URL).toBe(emulator.url);
    expect(await ended(smoke())).toMatchObject({ code: 1, text: expect.stringContaining("give --emulator") });
    expect(await ended(smokeWith(without, "--emulator"))).toMatchObject({
      code: 1,
      text: expect.stringContaining("--emulator without AWS_ENDPOINT_URL"),
    });
  });
});

interface Running {
  child: ChildProcessWithoutNullStreams;
  text(): string;
}

const smoke = (...args: string[]): Running => smokeWith(process.env, ...args);

function smokeWith(env: NodeJS.ProcessEnv, ...args: string[]): Running {
  const child = spawn(process.execPath, ["smoke/main.ts", ...args], { cwd: ROOT, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return { child, text: () => text };
}

async function ended({ child, text }: Running): Promise<{ code: number | null; text: string }> {
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text: text() };
}

async function printed({ child, text }: Running, pattern: RegExp): Promise<void> {
  while (!pattern.test(text()))
    await Promise.race([once(child.stdout, "data"), once(child, "close").then(() => Promise.reject(text()))]);
}

/** What there is in the account that a smoke could leave. */
async function everything(): Promise<string[]> {
  const stacks = [NAMES.serviceStack, NAMES.pollerStack, NAMES.foreignStack];
  const there = await Promise.all(stacks.map((name) => describeStack(aws.cloudFormation, name)));
  const { TableNames = [] } = await aws.dynamodb.send(new ListTablesCommand());
  const { Buckets = [] } = await aws.s3.send(new ListBucketsCommand());
  const { EventBuses = [] } = await aws.events.send(new ListEventBusesCommand());
  const { SecretList = [] } = await aws.secrets.send(new ListSecretsCommand({ IncludePlannedDeletion: true }));
  return [
    ...there.flatMap((stack) => stack?.StackName ?? []),
    ...TableNames,
    ...[...Buckets, ...EventBuses, ...SecretList].flatMap(({ Name }) => Name ?? []),
  ].sort();
}
