import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";

export type Aws = ReturnType<typeof createAws>;

/**
 * The services at an endpoint, as their user.
 *
 * @param accessKeyId twelve digits stand for the account of the emulator with this number
 */
export function createAws(endpoint: string, accessKeyId = "test", secretAccessKey = "test") {
  const options = { endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey } };
  const events = new EventBridgeClient(options);
  const secrets = new SecretsManagerClient(options);
  const sqs = new SQSClient(options);
  const cloudWatch = new CloudWatchClient(options);
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(options));
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  const lambda = new LambdaClient(options);
  const logs = new CloudWatchLogsClient(options);
  return {
    options,
    events,
    secrets,
    sqs,
    cloudWatch,
    documents,
    s3,
    /** What a function answers, or how it failed. */
    async invoke(FunctionName: string, payload: unknown = {}): Promise<{ failed: boolean; payload: unknown }> {
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload) }));
      const said = JSON.parse(answer.Payload?.transformToString() || "null") as unknown;
      return { failed: answer.FunctionError !== undefined, payload: said };
    },
    /** Starts a function as its schedule does, and does not wait for it. */
    async start(FunctionName: string, payload: unknown): Promise<void> {
      const InvocationType = "Event";
      await lambda.send(new InvokeCommand({ FunctionName, InvocationType, Payload: JSON.stringify(payload) }));
    },
    async fillSecret(SecretId: string, value: object): Promise<void> {
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(value) }));
    },
    /** How many messages wait in a queue. */
    async waiting(QueueUrl: string | undefined): Promise<number> {
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] });
      return Number((await sqs.send(asked)).Attributes?.ApproximateNumberOfMessages);
    },
    /** Takes all messages out of a queue. */
    async take(QueueUrl: string | undefined): Promise<Message[]> {
      const taken: Message[] = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        if (Messages.length === 0) return taken;
        taken.push(...Messages);
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
    /** Every message of a log group, oldest first. */
    async logs(logGroupName: string): Promise<string[]> {
      const messages: string[] = [];
      for await (const page of paginateFilterLogEvents({ client: logs }, { logGroupName })) {
        messages.push(...(page.events ?? []).map(({ message = "" }) => message));
      }
      return messages;
    },
    /** Every item of a table. */
    async items(TableName: string): Promise<Record<string, unknown>[]> {
      const items: Record<string, unknown>[] = [];
      for await (const page of paginateScan({ client: documents }, { TableName })) items.push(...(page.Items ?? []));
      return items;
    },
    close(): void {
      for (const client of [events, secrets, sqs, cloudWatch, documents, s3, lambda, logs]) client.destroy();
    },
  };
}
