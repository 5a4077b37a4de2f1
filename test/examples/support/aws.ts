import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient, type KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DeleteCommand, DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { startEmbeddedAws } from "../../../lib/local/aws/index.ts";

export type ExampleAws = Awaited<ReturnType<typeof startExampleAws>>;

/** AWS as far as the handlers of examples use it, on this machine. */
export async function startExampleAws() {
  const dataDir = mkdtempSync(join(tmpdir(), "survey-poller-example-"));
  const aws = await startEmbeddedAws({ dataDir });
  const options = { region: "us-east-1", credentials: aws.credentials };
  const dynamodb = new DynamoDBClient({ ...options, endpoint: aws.endpoint });
  const sqs = new SQSClient({ ...options, endpoint: aws.endpoint });
  const s3 = new S3Client({ ...options, endpoint: aws.endpoint, forcePathStyle: true });
  const documents = DynamoDBDocumentClient.from(dynamodb);
  return {
    /** What a handler needs in its environment. */
    env: aws.env as Record<string, string>,
    /** Makes a table with these keys, which are texts. */
    async table(TableName: string, ...keys: string[]) {
      const KeySchema = keys.map(
        (AttributeName, index): KeySchemaElement => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }),
      );
      const AttributeDefinitions = keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" as const }));
      const create = { TableName, KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" as const };
      await dynamodb.send(new CreateTableCommand(create));
    },
    async items(TableName: string): Promise<Record<string, unknown>[]> {
      return (await documents.send(new ScanCommand({ TableName }))).Items ?? [];
    },
    /** Takes all items out of a table with this one key. */
    async clear(TableName: string, key: string) {
      for (const item of await this.items(TableName))
        await documents.send(new DeleteCommand({ TableName, Key: { [key]: item[key] } }));
    },
    /** Makes a queue, and gives its URL. */
    async queue(QueueName: string): Promise<string> {
      return (await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? "";
    },
    /** Takes all messages. */
    async messages(QueueUrl: string): Promise<unknown[]> {
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
    /** Makes a bucket with one object. */
    async object(Bucket: string, Key: string, Body: string) {
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
