import { randomUUID } from "node:crypto";
import { CreateSecretCommand, DeleteSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { App, Stack } from "aws-cdk-lib";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { fillCredentials } from "../../../cli/credentials/command.ts";
import { createSourceSecrets } from "../../../infra/source-secrets.ts";
import { readCredentials } from "../../../lib/secrets/credentials.ts";
import { startSimulator } from "../../../local/simulator/index.ts";
import { removeTemporaryFolders, temporaryFolder } from "../../infra/support/temporary-folder.ts";
import { useAws } from "../../lib/support/aws.ts";
import { fakeTerminal, piped } from "./support.ts";

const test = useAws();
afterAll(removeTemporaryFolders);
const HIDDEN = "hunter2-of-the-client";
const stdin = `me\n${HIDDEN}\n`;

/** The secret of a stack of this name, as a deployment leaves it. */
async function deployed(stack: string, source = "main"): Promise<string> {
  const { credentials } = createSourceSecrets(new Stack(new App({ outdir: temporaryFolder() }), stack), {
    source: { name: source },
  });
  await test.clients.secrets.send(new CreateSecretCommand({ Name: credentials.name }));
  return credentials.name;
}

/** Runs the command with this standard input, and gives what it said. */
async function run(args: string[], text = stdin, client = clientOf()): Promise<string> {
  const lines: string[] = [];
  const terminal = { input: piped(text), output: fakeTerminal().output };
  await fillCredentials({ args, environment: {}, terminal, say: (line) => void lines.push(line), client });
  return lines.join("\n");
}

function clientOf(): SecretsManagerClient {
  const endpoint = test.aws.endpoints.secretsmanager;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return new SecretsManagerClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
}

/** Puts made so far: a command that failed must not have added one. */
const puts = (): number => test.aws.counters()["secretsmanager:PutSecretValue"] ?? 0;

const stackName = (): string => `Stack${randomUUID().slice(0, 8)}`;

describe("npm run credentials", () => {
  it("fills the secret that the stack has made, and says so without showing a value", async () => {
    const stack = stackName();
    const name = await deployed(stack);
    const said = await run(["--stack", stack]);
    expect(said).toMatch(new RegExp(`^filled: ${name}, version [0-9a-f-]{36}$`, "m"));
    expect(said).toContain("from standard input, not checked with the service");
    expect(said).not.toMatch(/hunter2|\bme\b/);
    const stored = await readCredentials(test.clients.secrets, name);
    expect(stored).toEqual({ clientId: "me", clientSecret: HIDDEN });
  });

  it("replaces what is there, of the source that is named", async () => {
    const stack = stackName();
    const name = await deployed(stack, "eu-2");
    await run(["--stack", stack, "--source", "eu-2"]);
    const said = await run(["--secret", name], '{"clientId":"you","clientSecret":"new"}');
    expect(said).toContain(`replaced: ${name}, version `);
    const stored = await readCredentials(test.clients.secrets, name);
    expect(stored).toEqual({ clientId: "you", clientSecret: "new" });
  });

  it("takes what is typed at a terminal", async () => {
    const name = await deployed(stackName());
    const { shown, rawModes: _, ...terminal } = fakeTerminal();
    const lines: string[] = [];
    const done = fillCredentials({
      args: ["--secret", name],
      environment: {},
      terminal,
      say: (line) => void lines.push(line),
      client: clientOf(),
    });
    terminal.input.write(`me\r${HIDDEN}\r`);
    await done;
    expect(await readCredentials(test.clients.secrets, name)).toEqual({ clientId: "me", clientSecret: HIDDEN });
    expect(shown.text).toBe(`Credentials for ${name}; what you type is not shown.\nclient id: \nclient secret: \n`);
    expect(lines.join("\n")).toContain("from the terminal");
  });

  it("shows how it is used, and asks nobody for anything", async () => {
    const before = test.aws.counters();
    const said = await run(["--help"]);
    for (const flag of ["--stack", "--source", "--secret", "--base-url"]) expect(said).toContain(flag);
    expect(test.aws.counters()).toEqual(before);
  });
});

describe("with --base-url", () => {
  it("credentials that the service takes are written", async () => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const name = await deployed(stackName());
    const { clientId, clientSecret } = simulator;
    const said = await run(["--secret", name, "--base-url", simulator.url], JSON.stringify({ clientId, clientSecret }));
    expect(said).toContain("accepted by the service");
    expect(await readCredentials(test.clients.secrets, name)).toEqual({ clientId, clientSecret });
    expect(simulator.counters()).toMatchObject({ requests: 1, token: 1 });
  });

  it("those that it refuses are not, nor those that it cannot be asked about", async () => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const name = await deployed(stackName());
    const before = puts();
    await expect(run(["--secret", name, "--base-url", simulator.url])).rejects.toMatchObject({
      code: "WRONG_CREDENTIALS",
      message: expect.stringMatching(/^nothing was written: .*401/),
    });
    simulator.fault({ kind: "status", status: 404, operation: "token" });
    await expect(run(["--secret", name, "--base-url", simulator.url])).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: expect.stringContaining("Without --base-url they are written unchecked"),
    });
    expect(puts()).toBe(before);
  });
});

describe("what keeps it from writing", () => {
  /** A client whose requests all fail with this error of the SDK. */
  function failing(name: string, operation = /./): SecretsManagerClient {
    const client = clientOf();
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (!operation.test(context.commandName ?? "")) return next(args);
        throw Object.assign(new Error(`about ${HIDDEN}`), { name });
      },
      { step: "build" },
    );
    return client;
  }

  it.each([
    ["CredentialsProviderError", "AWS_CREDENTIALS_MISSING", /AWS_PROFILE/],
    ["ExpiredTokenException", "AWS_CREDENTIALS_REFUSED", /Sign in/],
    ["UnrecognizedClientException", "AWS_CREDENTIALS_REFUSED", /Sign in/],
    ["TimeoutError", "SECRETS_MANAGER_FAILED", /network/],
  ])("%s is told before anything is asked, as %s", async (name, code, hint) => {
    const asked = run(["--stack", "Any"], stdin, failing(name));
    await expect(asked).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) });
    await expect(asked).rejects.not.toThrow(HIDDEN);
  });

  it("a secret that is not there means that the stack is not", async () => {
    await expect(run(["--stack", "Nowhere"])).rejects.toMatchObject({
      code: "SECRET_NOT_FOUND",
      message: "there is no secret Nowhere/main/credentials in us-east-1",
      hint: expect.stringContaining("Deploy the stack first"),
    });
  });

  it("one that is marked for deletion can be brought back", async () => {
    const name = await deployed(stackName());
    await test.clients.secrets.send(new DeleteSecretCommand({ SecretId: name }));
    await expect(run(["--secret", name])).rejects.toMatchObject({
      code: "SECRET_DELETED",
      hint: expect.stringContaining(`restore-secret --secret-id ${name}`),
    });
  });

  it("the right to look at it is not needed, that to write it is", async () => {
    const name = await deployed(stackName());
    expect(await run(["--secret", name], stdin, failing("AccessDeniedException", /^Describe/))).toContain("filled: ");
    await expect(run(["--secret", name], stdin, failing("AccessDeniedException", /^Put/))).rejects.toMatchObject({
      code: "ACCESS_DENIED",
      hint: expect.stringContaining("secretsmanager:PutSecretValue"),
    });
  });

  it.each([
    [["--client-secret", HIDDEN], /shell's history/],
    [[`--client-secret=${HIDDEN}`], /shell's history/],
    [[HIDDEN], /unexpected argument/],
    [["--secret", "a", "--stack", "b"], /--secret stands for/],
    [["--base-url", "http://surveys.example"], /^--base-url must begin with https/],
    [["--stac", "b"], /--stac, did you mean --stack/],
  ])("the flags %j are not understood, and not repeated either", async (args, message) => {
    const asked = run(args);
    await expect(asked).rejects.toMatchObject({ code: "BAD_USAGE", message: expect.stringMatching(message) });
    await expect(asked).rejects.not.toThrow(HIDDEN);
  });
});
