import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { PutSecretValueCommandInput } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { errorName, startForTest } from "./support.ts";

const SecretId = "survey/credentials";

async function startWithSecret() {
  const started = await startForTest();
  const client = started.secretsmanager;
  const { ARN = "" } = await client.createSecret({ Name: SecretId });
  return {
    ...started,
    ARN,
    get: (id = SecretId) => client.getSecretValue({ SecretId: id }),
    put: (value: Partial<PutSecretValueCommandInput>) => client.putSecretValue({ SecretId, ...value }),
    describe: () => client.describeSecret({ SecretId }),
  };
}

test("a secret without a value is told from one that is not there by its message alone", async () => {
  const { get, describe } = await startWithSecret();
  await expect(get()).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
  });
  await expect(get("other")).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "Secrets Manager can't find the specified secret.",
  });
  expect((await describe()).VersionIdsToStages).toBeUndefined();
});

test("a new value takes the place of the one before, and is read by name and by ARN", async () => {
  const { put, get, describe, ARN } = await startWithSecret();
  await put({ SecretString: "old" });
  const { VersionId = "" } = await put({ SecretString: "new" });
  expect(ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:survey\/credentials-\w{6}$/);
  for (const id of [SecretId, ARN]) expect(await get(id)).toMatchObject({ SecretString: "new", VersionId });
  expect((await describe()).VersionIdsToStages).toEqual({ [VersionId]: ["AWSCURRENT"] });
  const SecretBinary = Uint8Array.from([0, 255, 128]);
  await put({ SecretBinary });
  expect((await get()).SecretBinary).toEqual(SecretBinary);
});

test("what AWS refuses is refused", async () => {
  const { secretsmanager: client, put, get } = await startWithSecret();
  const SecretString = "x".repeat(65_536);
  expect(await errorName(put({}))).toBe("InvalidRequestException");
  expect(await errorName(put({ SecretString: `${SecretString}x` }))).toBe("InvalidParameterException");
  expect(await errorName(put({ SecretString }))).toBe("no error");
  expect(await errorName(client.createSecret({ Name: SecretId }))).toBe("ResourceExistsException");
  await client.deleteSecret({ SecretId });
  for (const refused of [get(), put({ SecretString })])
    expect(await errorName(refused)).toBe("InvalidRequestException");
});

test("the files of secrets are for their owner alone, and survive a restart", async () => {
  const { put, aws, dataDir } = await startWithSecret();
  await put({ SecretString: "kept" });
  const [file = "", ...others] = readdirSync(join(dataDir, "secrets"));
  expect(others).toEqual([]);
  expect(statSync(join(dataDir, "secrets", file)).mode & 0o777).toBe(0o600);
  await aws.close();

  const { secretsmanager } = await startForTest({ dataDir });
  expect(await secretsmanager.getSecretValue({ SecretId })).toMatchObject({ SecretString: "kept" });
});
