import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { IAMClient } from "@aws-sdk/client-iam";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { SchemasClient } from "@aws-sdk/client-schemas";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

export interface Clients {
  cloudFormation: CloudFormationClient;
  cloudWatch: CloudWatchClient;
  events: EventBridgeClient;
  iam: IAMClient;
  lambda: LambdaClient;
  logs: CloudWatchLogsClient;
  s3: S3Client;
  schemas: SchemasClient;
  secrets: SecretsManagerClient;
  sqs: SQSClient;
  dynamodb: DynamoDBClient;
  table: DynamoDBDocumentClient;
}

/** By the environment, as the command line of AWS finds credentials and region; or by a profile. */
export function createClients(profile?: string): Clients {
  const options = profile === undefined ? {} : { profile };
  const dynamodb = new DynamoDBClient(options);
  return {
    cloudFormation: new CloudFormationClient(options),
    cloudWatch: new CloudWatchClient(options),
    events: new EventBridgeClient(options),
    iam: new IAMClient(options),
    lambda: new LambdaClient(options),
    logs: new CloudWatchLogsClient(options),
    s3: new S3Client({ ...options, forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined }),
    schemas: new SchemasClient(options),
    secrets: new SecretsManagerClient(options),
    // Queue URLs of the emulator name another host than the one it listens on.
    sqs: new SQSClient({ ...options, useQueueUrlAsEndpoint: process.env.AWS_ENDPOINT_URL === undefined }),
    dynamodb,
    table: DynamoDBDocumentClient.from(dynamodb),
  };
}

/** What `ask` gives, or undefined where AWS says that there is no such thing. */
export async function unlessMissing<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // CloudFormation has no name of its own for it.
  if (error.name === "ValidationError") return /does not exist/.test(error.message);
  return /NotFound|NoSuch|NonExistentQueue|QueueDoesNotExist/.test(error.name);
}
