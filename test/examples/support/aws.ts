import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient, type KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { startEmbeddedAws } from "../../../local/aws/index.ts";

/** AWS as far as the handlers of examples use it, on this machine. */
export interface ExampleAws {
  /** What a handler needs in its environment. */
  env: Record<string, string>;
  /** Makes a table with these keys, which are texts. */
  table(name: string, ...keys: string[]): Promise<void>;
  items(table: string): Promise<Record<string, unknown>[]>;
  /** Makes a queue, and gives its URL. */
  queue(name: string): Promise<string>;
  /** Takes all messages. */
  messages(url: string): Promise<unknown[]>;
  /** Makes a bucket with one object. */
  object(bucket: string, key: string, body: string): Promise<void>;
  close(): Promise<void>;
}

export async function startExampleAws(): Promise<ExampleAws> {
  const dataDir = mkdtempSync(join(tmpdir(), "survey-poller-example-"));
  const aws = await startEmbeddedAws({ dataDir });
  const options = { region: "us-east-1", credentials: aws.credentials };
  const dynamodb = new DynamoDBClient({ ...options, endpoint: aws.endpoints.dynamodb });
  const sqs = new SQSClient({ ...options, endpoint: aws.endpoints.sqs });
  const s3 = new S3Client({ ...options, endpoint: aws.endpoints.s3, forcePathStyle: true });
  const documents = DynamoDBDocumentClient.from(dynamodb);
  return {
    env: aws.env,
    async table(TableName, ...keys) {
      const KeySchema = keys.map(
        (AttributeName, index): KeySchemaElement => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }),
      );
      const AttributeDefinitions = keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" as const }));
      const create = { TableName, KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" as const };
      await dynamodb.send(new CreateTableCommand(create));
    },
    async items(TableName) {
      const { Items = [] } = await documents.send(new ScanCommand({ TableName }));
      return Items;
    },
    async queue(QueueName) {
      const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName }));
      return QueueUrl;
    },
    async messages(QueueUrl) {
      const taken: unknown[] = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        if (Messages.length === 0) return taken;
        for (const { Body = "", ReceiptHandle } of Messages) {
          taken.push(JSON.parse(Body));
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
    async object(Bucket, Key, Body) {
      await s3.send(new CreateBucketCommand({ Bucket }));
      await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    },
    async close() {
      for (const client of [dynamodb, sqs, s3]) client.destroy();
      await aws.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
