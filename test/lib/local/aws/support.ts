import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "embedded-aws-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The embedded AWS for one test, with the events its buses accepted. */
export async function startForTest(options: Partial<EmbeddedAwsOptions> = {}) {
  const events: EventEnvelope[] = [];
  const dataDir = options.dataDir ?? scratchFolder();
  const aws = await startEmbeddedAws({ onEvent: (event) => void events.push(event), ...options, dataDir });
  onTestFinished(() => aws.close());
  return { aws, dataDir, events, ...clientsOf(aws) };
}

/**
 * Real SDK clients.
 *
 * @param maxAttempts 1 by default, so that a test sees the service's own answer and not the SDK's retries
 */
export function clientsOf({ endpoint, credentials }: Pick<EmbeddedAws, "endpoint" | "credentials">, maxAttempts = 1) {
  const common = { region: "us-east-1", credentials, maxAttempts };
  return {
    dynamodb: new DynamoDB({ ...common, endpoint }),
    sqs: new SQS({ ...common, endpoint }),
    s3: new S3({ ...common, endpoint }),
    eventbridge: new EventBridge({ ...common, endpoint }),
    secretsmanager: new SecretsManager({ ...common, endpoint }),
  };
}

export function entry(overrides: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry {
  return { Source: "survey-poller", DetailType: "response.completed", Detail: '{"n":1}', ...overrides };
}

/** On return the table is active: for a moment after CreateTable it does not exist yet, as on AWS. */
export async function createTable(dynamodb: DynamoDB, name = "table"): Promise<void> {
  await dynamodb.createTable({
    TableName: name,
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  for (let status = ""; status !== "ACTIVE"; ) {
    const { Table } = await dynamodb.describeTable({ TableName: name });
    status = Table?.TableStatus ?? "";
  }
}

export async function createQueue(
  sqs: SQS,
  name = "queue",
  Attributes: Record<string, string> = {},
): Promise<{ url: string; arn: string }> {
  const { QueueUrl: url = "" } = await sqs.createQueue({ QueueName: name, Attributes });
  const found = await sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ["QueueArn"] });
  return { url, arn: found.Attributes?.QueueArn ?? "" };
}

/** Takes messages off a queue until there are `count`, or none came within the wait. */
export async function takeMessages(sqs: SQS, url: string, count: number, waitSeconds = 5): Promise<string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const { Messages = [] } = await sqs.receiveMessage({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
    });
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
