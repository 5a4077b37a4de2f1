import { setTimeout as sleep } from "node:timers/promises";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from "@aws-sdk/client-dynamodb";
import { CreateEventBusCommand, EventBridgeClient, ResourceAlreadyExistsException } from "@aws-sdk/client-eventbridge";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { errorCode } from "../../lib/errors.ts";
import { createTableInput } from "../../lib/state/table.ts";

/** Names of what the stack makes when deployed. */
export const names = {
  table: "survey-poller",
  bucket: "survey-poller-claim-check",
} as const;

export interface ProvisionRequest {
  bus: string;
  sources: string[];
}

export type SecretIds = Record<string, { credentials: string; token: string }>;

export interface Provisioned {
  secrets: SecretIds;
}

/** Makes in the embedded AWS what the stack makes in the real one; what is there already stays. */
export async function provision({ bus, sources }: ProvisionRequest): Promise<Provisioned> {
  await Promise.all([createTable(), createBus(bus), createBucket()]);
  const secrets = new SecretsManagerClient();
  const ids: SecretIds = {};
  for (const source of sources) {
    ids[source] = { credentials: `survey-poller/${source}/credentials`, token: `survey-poller/${source}/token` };
    await createSecret(secrets, ids[source].credentials);
    await createSecret(secrets, ids[source].token);
  }
  secrets.destroy();
  return { secrets: ids };
}

/** Puts credentials into their secret unless they are there already. */
export async function fillCredentials(
  secretId: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<void> {
  const secrets = new SecretsManagerClient();
  const wanted = JSON.stringify(credentials);
  if ((await secretValue(secrets, secretId)) !== wanted) {
    await secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: wanted }));
  }
  secrets.destroy();
}

export async function hasCredentials(secretId: string): Promise<boolean> {
  const secrets = new SecretsManagerClient();
  const value = await secretValue(secrets, secretId);
  secrets.destroy();
  return value !== undefined;
}

async function secretValue(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId: secretId }))).SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createTable(): Promise<void> {
  const client = new DynamoDBClient();
  try {
    await client.send(new CreateTableCommand(createTableInput(names.table)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  // The SDK's own waiter looks once a second; this table takes a few milliseconds.
  const about = new DescribeTableCommand({ TableName: names.table });
  while ((await client.send(about)).Table?.TableStatus !== "ACTIVE") await sleep(10);
  client.destroy();
}

async function createBus(name: string): Promise<void> {
  const client = new EventBridgeClient();
  try {
    await client.send(new CreateEventBusCommand({ Name: name }));
  } catch (error) {
    if (!(error instanceof ResourceAlreadyExistsException)) throw error;
  }
  client.destroy();
}

async function createBucket(): Promise<void> {
  const client = new S3Client({ forcePathStyle: true });
  try {
    await client.send(new CreateBucketCommand({ Bucket: names.bucket }));
  } catch (error) {
    if (!["BucketAlreadyOwnedByYou", "BucketAlreadyExists"].includes((error as Error).name)) {
      throw new Error(`the claim-check bucket cannot be made (${errorCode(error)})`, { cause: error });
    }
  }
  client.destroy();
}

async function createSecret(client: SecretsManagerClient, name: string): Promise<void> {
  try {
    await client.send(new CreateSecretCommand({ Name: name }));
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
  }
}
