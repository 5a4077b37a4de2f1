import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateEventBusCommand, EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Clients } from "../../../lib/aws/clients.ts";
import type { EmbeddedAws, EventEnvelope } from "../../../lib/local/aws/index.ts";
import { createTableInput } from "../../../lib/state/table.ts";
import { startAws, type TestedAws } from "../../support/aws/start-aws.ts";

/** Those of the poller, all of them there at once. */
export type TestClients = Omit<Clients, "s3" | "sqs"> & { s3: S3Client; sqs: SQSClient };

export interface TestAws {
  aws: TestedAws;
  clients: TestClients;
  table: string;
  bus: string;
  bucket: string;
  /** What the bus has accepted, in order, since the last test. */
  events: EventEnvelope[];
}

/** The embedded AWS for all tests of a file, with a table, a bus and a bucket; its faults are cleared after each test. */
export function useAws(): TestAws {
  const dataDir = mkdtempSync(join(tmpdir(), "survey-poller-test-"));
  const test = {
    table: "state",
    bus: "bus",
    bucket: "claim-check",
    events: [] as EventEnvelope[],
  } as unknown as TestAws;

  beforeAll(async () => {
    test.aws = await startAws({ dataDir, onEvent: (event) => void test.events.push(event) });
    test.clients = clientsOf(test.aws);
    await Promise.all([
      createTable(test.clients, test.table),
      test.clients.events.send(new CreateEventBusCommand({ Name: test.bus })),
      test.clients.s3.send(new CreateBucketCommand({ Bucket: test.bucket })),
    ]);
  });
  afterEach(() => {
    test.aws.faults.clear();
    test.events.length = 0;
  });
  afterAll(async () => {
    for (const client of Object.values(test.clients)) client.destroy();
    await test.aws.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return test;
}

/** On a busy machine the first request would find it still being created. */
async function createTable({ dynamodb }: TestClients, name: string): Promise<void> {
  await dynamodb.send(new CreateTableCommand(createTableInput(name)));
  const about = new DescribeTableCommand({ TableName: name });
  while ((await dynamodb.send(about)).Table?.TableStatus !== "ACTIVE");
}

function clientsOf({ endpoint, credentials }: EmbeddedAws): TestClients {
  const common = { region: "us-east-1", credentials };
  return {
    dynamodb: DynamoDBDocumentClient.from(new DynamoDBClient({ ...common, endpoint, maxAttempts: 5 }), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    events: new EventBridgeClient({ ...common, endpoint, maxAttempts: 1 }),
    secrets: new SecretsManagerClient({ ...common, endpoint, maxAttempts: 5 }),
    s3: new S3Client({ ...common, endpoint, maxAttempts: 5, forcePathStyle: true }),
    sqs: new SQSClient({ ...common, endpoint, maxAttempts: 5 }),
  };
}
