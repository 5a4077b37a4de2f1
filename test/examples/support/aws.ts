import { CreateTableCommand, type KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { startEmbeddedAws } from "../../../lib/local/aws/index.ts";
import { createAws } from "../../deploy/support/aws.ts";
import { temporaryFolder } from "../../infra/support/temporary-folder.ts";

export type ExampleAws = Awaited<ReturnType<typeof startExampleAws>>;

/** AWS as far as the handlers of examples use it, on this machine. */
export async function startExampleAws() {
  const { endpoint, credentials, env, close } = await startEmbeddedAws({ dataDir: temporaryFolder() });
  const aws = createAws(endpoint, credentials.accessKeyId, credentials.secretAccessKey);
  return {
    /** What a handler needs in its environment. */
    env: env as Record<string, string>,
    items: aws.items,
    /** Makes a table with these keys, which are texts. */
    async table(TableName: string, ...keys: string[]) {
      const KeySchema = keys.map(
        (AttributeName, index): KeySchemaElement => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }),
      );
      const AttributeDefinitions = keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" as const }));
      const create = { TableName, KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" as const };
      await aws.documents.send(new CreateTableCommand(create));
    },
    /** Takes all items out of a table with this one key. */
    async clear(TableName: string, key: string) {
      for (const item of await aws.items(TableName))
        await aws.documents.send(new DeleteCommand({ TableName, Key: { [key]: item[key] } }));
    },
    /** Makes a queue, and gives its URL. */
    async queue(QueueName: string): Promise<string> {
      return (await aws.sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? "";
    },
    /** Takes all messages. */
    async messages(QueueUrl: string): Promise<unknown[]> {
      return (await aws.take(QueueUrl)).map(({ Body = "" }) => JSON.parse(Body) as unknown);
    },
    /** Makes a bucket with one object. */
    async object(Bucket: string, Key: string, Body: string) {
      await aws.s3.send(new CreateBucketCommand({ Bucket }));
      await aws.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    },
    async close() {
      aws.close();
      await close();
    },
  };
}
