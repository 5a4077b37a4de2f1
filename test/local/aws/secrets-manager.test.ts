import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  ListSecretsCommand,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { errorName, startForTest } from "./support.ts";

const SecretId = "survey/credentials";
const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [string, string, string];

function get(client: SecretsManagerClient, input: Partial<GetSecretValueCommandInput> = {}) {
  return client.send(new GetSecretValueCommand({ SecretId, ...input }));
}

function put(client: SecretsManagerClient, token: string, input: Partial<PutSecretValueCommandInput> = {}) {
  return client.send(
    new PutSecretValueCommand({ SecretId, ClientRequestToken: token, SecretString: `value ${token[0]}`, ...input }),
  );
}

async function startWithVersions() {
  const started = await startForTest();
  const client = started.secretsmanager;
  await client.send(new CreateSecretCommand({ Name: SecretId, SecretString: "value 1", ClientRequestToken: first }));
  await put(client, second);
  return { ...started, client };
}

test("a secret is read by name, ARN and ARN without its suffix", async () => {
  const { secretsmanager: client } = await startForTest();
  const { ARN = "", VersionId } = await client.send(new CreateSecretCommand({ Name: SecretId, SecretString: "v" }));
  expect(ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:survey\/credentials-\w{6}$/);
  for (const id of [SecretId, ARN, ARN.slice(0, -7)]) {
    expect(await get(client, { SecretId: id })).toMatchObject({ SecretString: "v", VersionId, Name: SecretId });
  }
});

test("a secret without a value is told from one that is not there by its message alone", async () => {
  const { secretsmanager: client } = await startForTest();
  await client.send(new CreateSecretCommand({ Name: SecretId }));
  await expect(get(client)).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
  });
  await expect(get(client, { SecretId: "other" })).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "Secrets Manager can't find the specified secret.",
  });
  await put(client, first);
  expect((await get(client)).SecretString).toBe("value 1");
});

test("binary values come back as they went in", async () => {
  const { secretsmanager: client } = await startForTest();
  const SecretBinary = Uint8Array.from([0, 255, 128]);
  await client.send(new CreateSecretCommand({ Name: SecretId, SecretBinary }));
  expect((await get(client)).SecretBinary).toEqual(SecretBinary);
});

test("a new value becomes current, the one before previous, and the one before that loses its label", async () => {
  const { client } = await startWithVersions();
  await put(client, third);
  expect((await get(client)).SecretString).toBe("value 3");
  expect((await get(client, { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("value 2");
  expect((await get(client, { VersionId: first })).SecretString).toBe("value 1");
  const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
  expect(VersionIdsToStages).toEqual({ [second]: ["AWSPREVIOUS"], [third]: ["AWSCURRENT"] });
  expect(await errorName(get(client, { VersionId: first, VersionStage: "AWSCURRENT" }))).toBe(
    "InvalidRequestException",
  );
});

test("the same token with the same value changes nothing, with another value it is refused", async () => {
  const { client } = await startWithVersions();
  await put(client, third);
  expect(await put(client, second)).toMatchObject({ VersionId: second, VersionStages: ["AWSPREVIOUS"] });
  expect((await get(client)).VersionId).toBe(third);
  expect(await errorName(put(client, second, { SecretString: "other" }))).toBe("ResourceExistsException");
});

test("creating a secret again is the same request only with the same token and value", async () => {
  const { client } = await startWithVersions();
  const create = (SecretString: string, ClientRequestToken: string) =>
    errorName(client.send(new CreateSecretCommand({ Name: SecretId, SecretString, ClientRequestToken })));
  expect(await create("value 1", first)).toBe("no error");
  expect(await create("other", first)).toBe("ResourceExistsException");
  expect(await create("value 1", third)).toBe("ResourceExistsException");
});

test("labels move between versions; the current one goes with AWSPREVIOUS in its wake", async () => {
  const { client } = await startWithVersions();
  const move = (VersionStage: string, MoveToVersionId?: string, RemoveFromVersionId?: string) =>
    client.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage, MoveToVersionId, RemoveFromVersionId }));
  await put(client, third, { VersionStages: ["PENDING"] });
  expect((await get(client)).VersionId).toBe(second);

  expect(await errorName(move("AWSCURRENT", third))).toBe("InvalidParameterException");
  expect(await errorName(move("AWSCURRENT", undefined, second))).toBe("InvalidParameterException");
  expect(await errorName(move("AWSCURRENT", "0".repeat(32), second))).toBe("ResourceNotFoundException");
  await move("AWSCURRENT", third, second);
  await move("PENDING", undefined, third);

  const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
  expect(VersionIdsToStages).toEqual({ [second]: ["AWSPREVIOUS"], [third]: ["AWSCURRENT"] });
});

test("values have to be given, once, within 64 KB", async () => {
  const { client } = await startWithVersions();
  const SecretString = "x".repeat(65_536);
  expect(await errorName(put(client, third, { SecretString: undefined }))).toBe("InvalidRequestException");
  expect(await errorName(put(client, third, { SecretBinary: Uint8Array.from([1]) }))).toBe("InvalidParameterException");
  expect(await errorName(put(client, third, { SecretString: `${SecretString}x` }))).toBe("InvalidParameterException");
  expect(await errorName(put(client, "short"))).toBe("InvalidParameterException");
  expect(await errorName(put(client, third, { SecretString }))).toBe("no error");
});

test("a deleted secret is kept for its recovery window, or goes at once", async () => {
  const { client } = await startWithVersions();
  const { DeletionDate } = await client.send(new DeleteSecretCommand({ SecretId }));
  expect(DeletionDate?.getTime()).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  expect(await errorName(get(client))).toBe("InvalidRequestException");
  expect(await errorName(client.send(new CreateSecretCommand({ Name: SecretId })))).toBe("InvalidRequestException");
  expect((await client.send(new ListSecretsCommand({}))).SecretList).toEqual([]);

  await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  expect(await errorName(get(client))).toBe("ResourceNotFoundException");
  expect(await errorName(client.send(new CreateSecretCommand({ Name: SecretId })))).toBe("no error");
});

test("secrets are listed in pages and by the start of their names", async () => {
  const { secretsmanager: client } = await startForTest();
  for (const Name of ["a/1", "a/2", "b/1"]) await client.send(new CreateSecretCommand({ Name, SecretString: "v" }));
  const page = await client.send(new ListSecretsCommand({ MaxResults: 2 }));
  const rest = await client.send(new ListSecretsCommand({ MaxResults: 2, NextToken: page.NextToken }));
  const filtered = await client.send(new ListSecretsCommand({ Filters: [{ Key: "name", Values: ["a/"] }] }));
  expect([...(page.SecretList ?? []), ...(rest.SecretList ?? [])].map(({ Name }) => Name)).toEqual([
    "a/1",
    "a/2",
    "b/1",
  ]);
  expect(rest.NextToken).toBeUndefined();
  expect(filtered.SecretList).toHaveLength(2);
});

test("the files of secrets are for their owner alone, and survive a restart", async () => {
  const { client, aws, dataDir } = await startWithVersions();
  const folder = join(dataDir, "secrets");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const [file = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  await client.send(new DescribeSecretCommand({ SecretId }));
  await aws.close();

  const { secretsmanager } = await startForTest({ dataDir });
  expect((await get(secretsmanager)).SecretString).toBe("value 2");
  expect((await get(secretsmanager, { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("value 1");
});
