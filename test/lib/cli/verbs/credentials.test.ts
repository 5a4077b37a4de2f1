import { randomUUID } from "node:crypto";
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { App, Stack } from "aws-cdk-lib";
import { describe, expect, it, vi } from "vitest";
import { createSourceSecrets } from "../../../../infra/source-secrets.ts";
import { type CredentialsAnswer, fillCredentials } from "../../../../lib/cli/verbs/credentials.ts";
import { readCredentials } from "../../../../lib/secrets/credentials.ts";
import { temporaryFolder } from "../../../infra/support/temporary-folder.ts";
import { useAws } from "../../support/aws.ts";
import { answerOf, findsAws, ioOf, polledFolder, type Ran, simulated, survey } from "../support/command.ts";

const test = useAws();
const HIDDEN = "hunter2-of-the-client";
const stdin = `me\n${HIDDEN}\n`;

findsAws(test);

/** The secret of a stack of this name, as a deployment leaves it. */
async function deployed(stack: string, source = "main"): Promise<string> {
  const scope = new Stack(new App({ outdir: temporaryFolder() }), stack);
  const { credentials } = createSourceSecrets(scope, { name: source }, undefined);
  await test.clients.secrets.send(new CreateSecretCommand({ Name: credentials.name }));
  return credentials.name;
}

const run = (args: string[], input = stdin): Promise<Ran> => survey(["credentials", ...args], { input });
const stored = (name: string, source = "main") => readCredentials(test.clients.secrets, name, source);
/** Puts made so far: a command that failed must not have added one. */
const puts = (): number => test.aws.counters()["secretsmanager:PutSecretValue"] ?? 0;
const stackName = (): string => `Stack${randomUUID().slice(0, 8)}`;

describe("of a stack", () => {
  it("fills the secret that the stack has made, and says so without showing a value", async () => {
    const stack = stackName();
    const name = await deployed(stack);
    const { code, stdout, stderr } = await run(["--stack", stack, "--yes"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^filled: ${name}, version [0-9a-f-]{36}$`, "m"));
    expect(stdout).toContain("from standard input, not checked with the service");
    expect(stdout).not.toMatch(/hunter2|\bme\b/);
    expect(await stored(name)).toEqual({ clientId: "me", clientSecret: HIDDEN });
  });

  it("without --yes says what it would do, and does nothing", async () => {
    const name = await deployed(stackName());
    const before = puts();
    const ran = await run(["--secret", name, "--json"]);
    expect(answerOf<CredentialsAnswer>(ran)).toEqual({
      schemaVersion: 1,
      ...{ dryRun: true, secretId: name, replaces: false, version: null, from: "standard input", checked: false },
    });
    expect(ran.stderr).toContain("Dry run: nothing was changed. Add --yes to do it.");
    expect(ran.stdout).not.toMatch(/hunter2|\bme\b/);
    expect([ran.code, puts()]).toEqual([0, before]);
  });

  it("replaces what is there, of the source that is named", async () => {
    const stack = stackName();
    const name = await deployed(stack, "eu-2");
    await run(["--stack", stack, "--source", "eu-2", "--yes"]);
    const { stdout } = await run(["--secret", name, "--yes"], '{"clientId":"you","clientSecret":"new"}');
    expect(stdout).toContain(`replaced: ${name}, version `);
    expect(await stored(name)).toEqual({ clientId: "you", clientSecret: "new" });
  });

  it("fills the entry of one source in a secret that several share, and leaves the others", async () => {
    const name = await deployed(stackName());
    await run(["--secret", name, "--source", "a", "--yes"], "one\nfirst");
    const { stdout } = await run(["--secret", name, "--source", "b", "--yes"], "two\nsecond");
    expect(stdout).toContain(`replaced: ${name}`);
    expect(await stored(name, "a")).toEqual({ clientId: "one", clientSecret: "first" });
    expect(await stored(name, "b")).toEqual({ clientId: "two", clientSecret: "second" });
  });

  it("writes no entry over a secret of another form", async () => {
    const name = await deployed(stackName());
    await test.clients.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: "theirs" }));
    const { code, stderr } = await run(["--secret", name, "--source", "a", "--yes"]);
    expect([code === 0, stderr.includes("holds something else")]).toEqual([false, true]);
  });

  it("takes what is typed at a terminal, and those of the environment before that", async () => {
    const name = await deployed(stackName());
    const args = ["credentials", "--secret", name, "--yes"];
    const typed = await survey(args, { input: `me\r${HIDDEN}\r`, isInteractive: true });
    expect(await stored(name)).toEqual({ clientId: "me", clientSecret: HIDDEN });
    expect(typed.stderr).toBe(`Credentials for ${name}; what you type is not shown.\nclient id: \nclient secret: \n`);
    expect(typed.stdout).toContain("from the terminal");
    const environment = { SURVEY_CLIENT_ID: "env", SURVEY_CLIENT_SECRET: "env-secret" };
    expect((await survey(args, { environment })).stdout).toContain("from the environment");
    expect(await stored(name)).toEqual({ clientId: "env", clientSecret: "env-secret" });
  });
});

it("of a data folder fills the secret of its only source", async () => {
  const { data, simulator } = await polledFolder({ surveys: [{ surveyId: 7, responses: 1 }] });
  const { clientId, clientSecret, url } = simulator;

  const wrong = await run(["--data", data, "--base-url", url, "--yes"]);
  const right = await run(["--data", data, "--base-url", url, "--yes"], JSON.stringify({ clientId, clientSecret }));

  expect(wrong.stderr).toMatch(/^nothing was written: .*401/);
  expect(wrong).toMatchObject({ code: 4, stdout: "" });
  expect(right.code).toBe(0);
  expect(right.stdout).toContain("replaced: survey-poller/main/credentials");
  expect(right.stdout).toContain("accepted by the service");
});

it("credentials that the service cannot be asked about are not written", async () => {
  const simulator = await simulated();
  const name = await deployed(stackName());
  const before = puts();
  simulator.fault({ kind: "status", status: 404, operation: "token" });
  const lost = await run(["--secret", name, "--base-url", simulator.url, "--yes"]);
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain("Without --base-url they are written unchecked");
  expect(puts()).toBe(before);
});

describe("what keeps it from writing", () => {
  /** A client whose requests all fail with this error of the SDK. */
  function failing(name: string, operation = /./): SecretsManagerClient {
    const client = new SecretsManagerClient({ endpoint: test.aws.endpoint, maxAttempts: 1 });
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (!operation.test(context.commandName ?? "")) return next(args);
        throw Object.assign(new Error(`about ${HIDDEN}`), { name });
      },
      { step: "build" },
    );
    return client;
  }

  function fill(secretId: string, client: SecretsManagerClient) {
    const { io } = ioOf({ input: stdin });
    return fillCredentials({ client, secretId, source: undefined, baseUrl: undefined, yes: true }, io);
  }

  it.each([
    ["CredentialsProviderError", "AWS_CREDENTIALS_MISSING", /AWS_PROFILE/],
    ["ExpiredTokenException", "AWS_CREDENTIALS_REFUSED", /Sign in/],
    ["UnrecognizedClientException", "AWS_CREDENTIALS_REFUSED", /Sign in/],
    ["TimeoutError", "AWS_FAILED", /network/],
  ])("%s is told before anything is asked, as %s", async (name, code, hint) => {
    const asked = fill("Any", failing(name));
    await expect(asked).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) });
    await expect(asked).rejects.not.toThrow(HIDDEN);
  });

  it.each([
    ["no region", "", "no AWS region is set. Set AWS_REGION to the region of the stack.\n"],
    ["no credentials", "us-east-1", "there are no AWS credentials. Set AWS_PROFILE, or sign in: `aws sso login`.\n"],
  ])("an environment with %s ends it with one line that says what to do", async (_what, region, line) => {
    for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, "/dev/null");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_REGION", region === "" ? undefined : region);
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
    expect(await run(["--yes"])).toMatchObject({ code: region === "" ? 2 : 4, stdout: "", stderr: line });
  });

  it("a secret that is not there means that the stack is not", async () => {
    const ran = await run(["--stack", "Nowhere", "--yes"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("there is no secret Nowhere/main/credentials in us-east-1. Deploy the stack first");
  });

  it("one that is marked for deletion can be brought back", async () => {
    const name = await deployed(stackName());
    await test.clients.secrets.send(new DeleteSecretCommand({ SecretId: name }));
    expect((await run(["--secret", name, "--yes"])).stderr).toContain(`restore-secret --secret-id ${name}`);
  });

  it("the right to look at it is not needed, that to write it is", async () => {
    const name = await deployed(stackName());
    expect(await fill(name, failing("AccessDeniedException", /^Describe/))).toMatchObject({
      replaces: null,
      version: expect.stringMatching(/./),
    });
    await expect(fill(name, failing("AccessDeniedException", /^Put/))).rejects.toMatchObject({
      code: "ACCESS_DENIED",
      hint: expect.stringContaining("docs/command.md"),
    });
  });
});
