import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { EventBridge, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { S3 } from "@aws-sdk/client-s3";
import { SecretsManager } from "@aws-sdk/client-secrets-manager";
import { SQS } from "@aws-sdk/client-sqs";
import { onTestFinished } from "vitest";
import {
  type EmbeddedAws,
  type EmbeddedAwsOptions,
  type EventEnvelope,
  startEmbeddedAws,
} from "../../../../lib/local/aws/index.ts";
import { temporaryFolder } from "../../../support/command.ts";

/** The embedded AWS for one test, with the events its buses accepted. */
export async function startForTest(options: Partial<EmbeddedAwsOptions> = {}) {
  const events: EventEnvelope[] = [];
  const dataDir = options.dataDir ?? temporaryFolder();
  const aws = await startEmbeddedAws({ onEvent: (event) => void events.push(event), ...options, dataDir });
  onTestFinished(() => aws.close());
  return { aws, dataDir, events, ...clientsOf(aws) };
}

/** Real SDK clients, which try once: a test sees the service's own answer and not the SDK's retries. */
export function clientsOf({ endpoint, credentials }: Pick<EmbeddedAws, "endpoint" | "credentials">) {
  const common = { region: "us-east-1", credentials, endpoint, maxAttempts: 1 };
  return {
    dynamodb: new DynamoDB(common),
    sqs: new SQS(common),
    s3: new S3(common),
    eventbridge: new EventBridge(common),
    secretsmanager: new SecretsManager(common),
  };
}

export function entry(overrides: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry {
  return { Source: "survey-poller", DetailType: "response.completed", Detail: '{"n":1}', ...overrides };
}

/** On return the table is active: for a moment after CreateTable it does not exist yet, as on AWS. */
export async function createTable(dynamodb: DynamoDB, sortKey?: "N" | "S"): Promise<void> {
  const keys = [["pk", "S", "HASH"] as const, ...(sortKey === undefined ? [] : [["sk", sortKey, "RANGE"] as const])];
  await dynamodb.createTable({
    TableName: "table",
    AttributeDefinitions: keys.map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keys.map(([AttributeName, , KeyType]) => ({ AttributeName, KeyType })),
    BillingMode: "PAY_PER_REQUEST",
  });
  await untilTable(dynamodb, "ACTIVE");
}

/** Asks until the table has this status, or as long as there is one. */
export async function untilTable(dynamodb: DynamoDB, status: string | undefined): Promise<void> {
  const look = () => dynamodb.describeTable({ TableName: "table" }).catch(() => undefined);
  while ((await look())?.Table?.TableStatus !== status);
}

export async function createQueue(sqs: SQS): Promise<{ url: string; arn: string }> {
  const { QueueUrl: url = "" } = await sqs.createQueue({ QueueName: "queue" });
  const found = await sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ["QueueArn"] });
  return { url, arn: found.Attributes?.QueueArn ?? "" };
}

/** Takes messages off a queue until there are `count`, or none came within the wait. */
export async function takeMessages(sqs: SQS, url: string, count: number, waitSeconds = 5): Promise<string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const asked = { QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: waitSeconds };
    const { Messages = [] } = await sqs.receiveMessage(asked);
    if (Messages.length === 0) return bodies;
    for (const { Body = "", ReceiptHandle } of Messages) {
      bodies.push(Body);
      await sqs.deleteMessage({ QueueUrl: url, ReceiptHandle });
    }
  }
  return bodies;
}

/** The name of the error that a call ends with, or "no error". */
export async function errorName(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

/** The numbers in the events that are waiting in a queue. */
export async function takeNumbers(...of: Parameters<typeof takeMessages>): Promise<number[]> {
  return (await takeMessages(...of)).map((body) => (JSON.parse(body) as { detail: { n: number } }).detail.n);
}
