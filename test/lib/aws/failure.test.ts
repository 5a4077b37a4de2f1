import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Clients, createClients } from "../../../lib/aws/clients.ts";
import { isAwsFailure } from "../../../lib/aws/failure.ts";
import type { Service } from "../../../lib/local/aws/index.ts";
import { readSecret } from "../../../lib/secrets/secret-values.ts";
import type { FaultKind } from "../../support/aws/faults.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
let clients: Clients;

beforeAll(() => {
  for (const [name, value] of Object.entries(test.aws.env)) vi.stubEnv(name, value);
  clients = createClients();
});
afterAll(() => {
  for (const client of [clients.dynamodb, clients.events, clients.secrets]) client.destroy();
  vi.unstubAllEnvs();
});

const PRIVATE = "jane@example.com";
const put = () =>
  clients.dynamodb.send(
    new PutCommand({
      TableName: test.table,
      Item: { pk: PRIVATE, sk: randomUUID() },
      ConditionExpression: "attribute_not_exists(pk)",
    }),
  );
const getObject = async () => (await clients.s3()).send(new GetObjectCommand({ Bucket: test.bucket, Key: PRIVATE }));
const getSecret = () => readSecret(clients.secrets, PRIVATE);

describe("a failure of AWS", () => {
  it.each<[service: Service, kind: FaultKind, call: () => Promise<unknown>, code: string, line: RegExp]>([
    ["dynamodb", "down", put, "DYNAMODB_FAILED", /^DynamoDB could not be used \(ECONN/],
    ["s3", "error", getObject, "S3_FAILED", /^S3 could not be used \(InternalError\)$/],
    [
      "secretsmanager",
      "error",
      getSecret,
      "SECRETS_MANAGER_FAILED",
      /^Secrets Manager could not be used \(InternalServiceError\)$/,
    ],
  ])("of %s says which service failed, and quotes nothing", async (service, kind, call, code, line) => {
    test.aws.faults.add({ service, kind });
    const error: unknown = await call().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(line), retryable: true });
    expect(isAwsFailure(code)).toBe(true);
    const { message, hint } = error as { message: string; hint: string };
    expect(inspect([message, hint])).not.toContain(PRIVATE);
    expect(hint).not.toBe("");
  });

  it("is told after the SDK's own retries only", async () => {
    const fault = test.aws.faults.add({ service: "dynamodb", kind: "down", times: 4 });
    await put();
    expect(fault.hits()).toBe(4);
  });
});

describe("an answer", () => {
  it("that a key or a secret is not there stays the SDK's own", async () => {
    await expect(getObject()).rejects.toMatchObject({ name: "NoSuchKey" });
    expect(await getSecret()).toBeUndefined();
  });

  it("that a condition does not hold stays the SDK's own", async () => {
    const item = { pk: "1", sk: "1" };
    const conditional = { TableName: test.table, Item: item, ConditionExpression: "attribute_not_exists(pk)" };
    await clients.dynamodb.send(new PutCommand(conditional));
    await expect(clients.dynamodb.send(new PutCommand(conditional))).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
    });
  });
});
