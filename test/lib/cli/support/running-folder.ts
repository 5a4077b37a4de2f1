import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateEventBusCommand, EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect } from "vitest";
import type { EventEnvelope } from "../../../../lib/local/aws/index.ts";
import { writeLastRun } from "../../../../lib/local/runner/last-run.ts";
import { bundleFolder } from "../../../../lib/local/runner/load-function.ts";
import { createTableInput } from "../../../../lib/state/table.ts";
import { startAws, type TestedAws } from "../../../support/aws/start-aws.ts";

const BUS = "surveys";
const BUCKET = "answers";
const TABLE = "table";

/** A data folder with the AWS of a run that polls nothing, which is in this process. */
export interface RunningFolder extends AsyncDisposable {
  data: string;
  aws: TestedAws;
  /** What the bus has accepted, oldest first. */
  events: EventEnvelope[];
  /** Names of rules that have a target. */
  rules(): string[];
  queues(): Promise<string[]>;
  /** Resolves once so many commands listen. */
  heardBy(commands: number): Promise<void>;
}

/** @param config of the run; by default one source */
export async function runningFolder(config: object = {}): Promise<RunningFolder> {
  const data = mkdtempSync(join(tmpdir(), "survey-poller-"));
  const events: EventEnvelope[] = [];
  const aws = await startAws({ dataDir: data, onEvent: (event) => void events.push(event) });
  const common = { region: "us-east-1", credentials: aws.credentials };
  const eventbridge = new EventBridgeClient({ ...common, endpoint: aws.endpoint });
  const s3 = new S3Client({ ...common, endpoint: aws.endpoint, forcePathStyle: true });
  const sqs = new SQSClient({ ...common, endpoint: aws.endpoint });
  await eventbridge.send(new CreateEventBusCommand({ Name: BUS }));
  const dynamodb = new DynamoDBClient({ ...common, endpoint: aws.endpoint });
  await dynamodb.send(new CreateTableCommand(createTableInput(TABLE)));
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const variables = { TABLE_NAME: TABLE, BUS_NAME: BUS, CLAIM_CHECK_BUCKET: BUCKET, SECRETS_PREFIX: "survey-poller" };
  writeLastRun(data, { variables, aws: aws.env });
  mkdirSync(bundleFolder(data), { recursive: true });
  const baseUrl = "http://127.0.0.1:1";
  writeFileSync(
    join(bundleFolder(data), "config.json"),
    JSON.stringify({ raw: { sources: [{ baseUrl }], bus: { name: BUS }, ...config }, config: {} }),
  );
  const rules = (): string[] => {
    const file = readFileSync(join(data, "event-bridge", "rules.json"), "utf8");
    const { rules } = JSON.parse(file) as { rules: { name: string; targets: unknown[] }[] };
    return rules.filter(({ targets }) => targets.length > 0).map(({ name }) => name);
  };
  return {
    data,
    aws,
    events,
    rules,
    async queues() {
      const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
      return QueueUrls.map((url) => url.slice(url.lastIndexOf("/") + 1));
    },
    heardBy: (commands) => expect.poll(() => rules().length, { timeout: 10_000, interval: 20 }).toBe(commands),
    async [Symbol.asyncDispose]() {
      for (const client of [dynamodb, eventbridge, s3, sqs]) client.destroy();
      await aws.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** One for all tests of a file. */
export function useRunningFolder(): { folder: RunningFolder } {
  const used = {} as { folder: RunningFolder };
  beforeAll(async () => {
    used.folder = await runningFolder();
  });
  afterAll(() => used.folder[Symbol.asyncDispose]());
  return used;
}
