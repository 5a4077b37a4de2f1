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

const NAMES = { table: "state", bus: "bus", bucket: "claim-check" };

/** The embedded AWS over a folder, with a table, a bus and a bucket of these names. To be closed. */
export async function startTestAws(dataDir: string, names = NAMES): Promise<TestAws & AsyncDisposable> {
  const events: EventEnvelope[] = [];
  const aws = await startAws({ dataDir, onEvent: (event) => void events.push(event) });
  const clients = clientsOf(aws);
  await Promise.all([
    createTable(clients, names.table),
    clients.events.send(new CreateEventBusCommand({ Name: names.bus })),
    clients.s3.send(new CreateBucketCommand({ Bucket: names.bucket })),
  ]);
  return {
    ...names,
    ...{ aws, clients, events },
    async [Symbol.asyncDispose]() {
      for (const client of Object.values(clients)) client.destroy();
      await aws.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same for all tests of a file; its faults are cleared after each test. */
export function useAws(): TestAws {
  const test = { ...NAMES } as TestAws & AsyncDisposable;
  beforeAll(async () => {
    Object.assign(test, await startTestAws(mkdtempSync(join(tmpdir(), "survey-poller-test-"))));
  });
  afterEach(() => {
    test.aws.faults.clear();
    test.events.length = 0;
  });
  afterAll(() => test[Symbol.asyncDispose]());
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
