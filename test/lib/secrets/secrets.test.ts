import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { describe, expect, it } from "vitest";
import { namingFailures } from "../../../lib/aws/failure.ts";
import { readCredentials } from "../../../lib/secrets/credentials.ts";
import { createTokenStore } from "../../../lib/secrets/token-store.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const PRIVATE = "s3cret-of-the-client";

/** A secret, empty as the stack makes it unless it is given a value. */
async function secret(value?: string): Promise<string> {
  const name = randomUUID();
  await test.clients.secrets.send(new CreateSecretCommand({ Name: name }));
  if (value !== undefined) await put(name, value);
  return name;
}

async function put(name: string, value: string): Promise<void> {
  await test.clients.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
}

const credentialsIn = (name: string, source = "main") => readCredentials(test.clients.secrets, name, source);

describe("the credentials", () => {
  it("are those of the secret, read anew each time", async () => {
    const name = await secret(JSON.stringify({ clientId: "me", clientSecret: PRIVATE, note: "ours" }));
    expect(await credentialsIn(name)).toEqual({ clientId: "me", clientSecret: PRIVATE });

    await put(name, JSON.stringify({ clientId: "you", clientSecret: "new" }));
    expect(await credentialsIn(name)).toEqual({ clientId: "you", clientSecret: "new" });
  });

  it("are those under the source's name where several sources share a secret", async () => {
    const own = { clientId: "b", clientSecret: PRIVATE };
    const name = await secret(JSON.stringify({ clientId: "me", clientSecret: "x", b: own }));
    const ids = ["b", "c"].map(async (source) => (await credentialsIn(name, source)).clientId);
    expect(await Promise.all(ids)).toEqual(["b", "me"]);
  });

  it.each([
    ["not filled yet", undefined],
    ["without an entry of the source", JSON.stringify({ other: { clientId: "me", clientSecret: PRIVATE } })],
    ["with an entry of another form", JSON.stringify({ clientId: "me", clientSecret: PRIVATE, main: PRIVATE })],
    ["the secret alone", PRIVATE],
    ["not JSON", `{"clientId":"me","clientSecret":"${PRIVATE}"`],
    ["without clientId", JSON.stringify({ clientSecret: PRIVATE })],
    ["with an empty clientId", JSON.stringify({ clientId: "", clientSecret: PRIVATE })],
    ["with a number", JSON.stringify({ clientId: 7, clientSecret: PRIVATE })],
    ["a list", JSON.stringify([PRIVATE])],
  ])(
    "in a secret that is %s are missing: the error says what to put there, and quotes nothing",
    async (_name, value) => {
      const name = await secret(value);
      const error: unknown = await credentialsIn(name).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "CREDENTIALS_MISSING",
        isUnreadable: value !== undefined,
        hint: expect.stringContaining(`npx survey-poller credentials --secret ${name}`),
      });
      expect(inspect(error, { depth: 9 })).not.toContain(PRIVATE);
    },
  );
});

describe("a credentials secret", () => {
  it("that was filled with bytes is read as text", async () => {
    const name = await secret();
    const SecretBinary = Buffer.from(JSON.stringify({ clientId: "me", clientSecret: PRIVATE }));
    await test.clients.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretBinary }));
    expect(await credentialsIn(name)).toEqual({ clientId: "me", clientSecret: PRIVATE });
  });

  it("that is marked for deletion is unreadable: the hint says how it comes back", async () => {
    const name = await secret("{}");
    await test.clients.secrets.send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
    await expect(credentialsIn(name)).rejects.toMatchObject({
      code: "CREDENTIALS_MISSING",
      isUnreadable: true,
      hint: expect.stringContaining("restore-secret"),
    });
  });

  it.each(["AccessDeniedException", "DecryptionFailure"])("that answers %s is unreadable", async (name) => {
    const client = namingFailures("secrets", answering(name));
    await expect(readCredentials(client, "main/credentials", "main")).rejects.toMatchObject({
      code: "CREDENTIALS_MISSING",
      isUnreadable: true,
      message: expect.stringContaining(`main/credentials cannot be read (${name})`),
    });
  });

  it("that cannot be reached for a moment is no matter of the credentials", async () => {
    const client = namingFailures("secrets", answering("ThrottlingException"));
    await expect(readCredentials(client, "main/credentials", "main")).rejects.toMatchObject({
      code: "SECRETS_MANAGER_FAILED",
    });
  });
});

/** A client whose requests all end with this error of AWS. */
function answering(name: string): SecretsManagerClient {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SecretsManagerClient({ region: "us-east-1", credentials, maxAttempts: 1 });
  const fail = async (): Promise<never> => {
    throw Object.assign(new Error(`${PRIVATE} is quoted`), { name });
  };
  client.middlewareStack.add(() => fail, { step: "build" });
  return client;
}

describe("the token that is kept", () => {
  const token = { token: "abc.def.ghi", obtainedAt: 1_773_140_000_000, expiresAt: 1_773_144_000_000 };
  const store = (name: string, owner = "owner-1") => createTokenStore(test.clients.secrets, name, async () => owner);

  it("comes back to the next process", async () => {
    const name = await secret();
    expect(await store(name).read()).toBeUndefined();
    await store(name).write(token);
    expect(await store(name).read()).toEqual(token);
  });

  it("is not used for another service or another client", async () => {
    const name = await secret();
    await store(name).write(token);
    expect(await store(name, "owner-2").read()).toBeUndefined();
  });

  it.each([
    "not JSON",
    "{}",
    '{"token":"","expiresAt":1,"owner":"owner-1"}',
    '{"token":"x","owner":"owner-1"}',
    "null",
  ])("is none when the secret holds %j", async (value) => {
    expect(await store(await secret(value)).read()).toBeUndefined();
  });

  it("is not taken for missing when the secrets cannot be read: that would ask for a new one each time", async () => {
    const name = await secret();
    await store(name).write(token);
    test.aws.faults.add({ service: "secretsmanager", operation: "GetSecretValue", kind: "error" });
    await expect(store(name).read()).rejects.toThrow();
  });
});
