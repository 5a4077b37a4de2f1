import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

/** The services that a deployment's parts are of. Endpoint, credentials and region are those of the environment. */
export interface Services {
  stacks: CloudFormationClient;
  tables: DynamoDBClient;
  events: EventBridgeClient;
  buckets: S3Client;
  secrets: SecretsManagerClient;
  close(): void;
}

export function createServices(): Services {
  const options = {
    // Much is asked for one after the other: AWS may say that it is too fast.
    maxAttempts: 6,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  };
  const services = {
    stacks: new CloudFormationClient(options),
    tables: new DynamoDBClient(options),
    events: new EventBridgeClient(options),
    // Local endpoints have no host name for each bucket.
    buckets: new S3Client({ ...options, forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined }),
    secrets: new SecretsManagerClient(options),
  };
  return {
    ...services,
    close() {
      for (const client of Object.values(services)) client.destroy();
    },
  };
}

/** Whether AWS says that what was asked for is not there. */
export function isMissing(error: unknown): boolean {
  const { name, message } = error as Error;
  // CloudFormation has no error of its own for that.
  return (
    /^(ResourceNotFound(Exception)?|NoSuchBucket|NoSuchTagSet|NotFound)$/.test(name) ||
    (name === "ValidationError" && /does not exist/.test(message))
  );
}

/** The result of `ask`; undefined where AWS has no such thing. */
export async function unlessMissing<T>(ask: Promise<T>): Promise<T | undefined> {
  try {
    return await ask;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
