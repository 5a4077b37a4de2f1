import { setTimeout as sleep } from "node:timers/promises";
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateEventBusCommand, EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { secretNames } from "../../config/secret-names.ts";
import { readSecret, writeSecret } from "../../secrets/secret-values.ts";
import { createTableInput } from "../../state/table.ts";
import type { Credentials } from "../../survey-api/index.ts";

/** Names of what the stack makes when deployed. */
export const names = {
  table: "survey-poller",
  bucket: "survey-poller-claim-check",
  secrets: "survey-poller",
} as const;

type NamedSource = Parameters<typeof secretNames>[0];

/** Makes in the embedded AWS what the stack makes in the real one; what is there already stays. */
export async function provision({ bus, sources }: { bus: string; sources: readonly NamedSource[] }): Promise<void> {
  const [dynamodb, events, secrets] = [new DynamoDBClient(), new EventBridgeClient(), new SecretsManagerClient()];
  const s3 = new S3Client({ forcePathStyle: true });
  const own = sources.map((source) => Object.values(secretNames(source, { prefix: names.secrets })));
  await Promise.all([
    createTable(dynamodb),
    unlessThere(events.send(new CreateEventBusCommand({ Name: bus }))),
    unlessThere(s3.send(new CreateBucketCommand({ Bucket: names.bucket }))),
    ...own.flat().map((Name) => unlessThere(secrets.send(new CreateSecretCommand({ Name })))),
  ]);
  for (const client of [dynamodb, events, s3, secrets]) client.destroy();
}

/** Puts credentials into their secret, where some are given and others are in it. Says whether there are any. */
export async function fillCredentials(secretId: string, given: Credentials | undefined): Promise<boolean> {
  const secrets = new SecretsManagerClient();
  try {
    const kept = await readSecret(secrets, secretId);
    if (given === undefined) return kept !== undefined;
    const wanted = JSON.stringify({ clientId: given.clientId, clientSecret: given.clientSecret });
    if (kept !== wanted) await writeSecret(secrets, secretId, wanted);
    return true;
  } finally {
    secrets.destroy();
  }
}

async function createTable(client: DynamoDBClient): Promise<void> {
  await unlessThere(client.send(new CreateTableCommand(createTableInput(names.table))));
  // The SDK's own waiter looks once a second; this table takes a few milliseconds.
  const about = new DescribeTableCommand({ TableName: names.table });
  while ((await client.send(about)).Table?.TableStatus !== "ACTIVE") await sleep(10);
}

/** What each service says of a thing that was made before. */
const THERE = /^(BucketAlready(OwnedByYou|Exists)|Resource(AlreadyExists|Exists|InUse)Exception)$/;

async function unlessThere(made: Promise<unknown>): Promise<void> {
  await made.catch((error: Error) => {
    if (!THERE.test(error.name)) throw error;
  });
}
