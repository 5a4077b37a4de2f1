import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import type { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { PUBLISH_TIMEOUT } from "../polling/lease.ts";
import { namingFailures } from "./failure.ts";

/**
 * The SDK clients, made once for a process and shared by all sources. Endpoints and credentials come from the environment. Those that few
 * ticks need are loaded when they are needed first.
 */
export interface Clients {
  dynamodb: DynamoDBDocumentClient;
  events: EventBridgeClient;
  secrets: SecretsManagerClient;
  s3: () => Promise<S3Client>;
}

/**
 * The SDK knows no end of a request by itself: one connection that hangs would outlast what a tick keeps in reserve, and its work
 * would be cut off. `silence` is in milliseconds, and counts as well between the parts of a body.
 */
function patientFor(silence: number) {
  return {
    // A request that waits for one of the 50 connections to be free is taken for one that connects.
    connectionTimeout: 2_000,
    requestTimeout: silence,
    socketTimeout: silence,
    throwOnRequestTimeout: true,
  };
}

/** The SDK's step for logs copies what goes and comes, also where nobody has given it a logger: a tenth of what a request costs. */
function withoutLog<Client extends Pick<DynamoDBClient | EventBridgeClient, "middlewareStack">>(
  client: Client,
): Client {
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}

/** What a client takes beside the environment: where it is, and who asks. */
export type ClientSettings = Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials">;
export type ClientService = "dynamodb" | "eventbridge" | "secretsmanager" | "s3";

/** @param settings of each service, where the environment of the process does not say it */
export function createClients(settings: (service: ClientService) => ClientSettings = () => ({})): Clients {
  const dynamodb = withoutLog(
    new DynamoDBClient({ ...settings("dynamodb"), maxAttempts: 5, requestHandler: patientFor(5_000) }),
  );
  return {
    dynamodb: DynamoDBDocumentClient.from(namingFailures("dynamodb", dynamodb), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    // The publisher retries by itself, entry by entry and under the lease: here one attempt, over in time for the guard.
    events: withoutLog(
      new EventBridgeClient({
        ...settings("eventbridge"),
        maxAttempts: 1,
        requestHandler: {
          requestTimeout: PUBLISH_TIMEOUT - 500,
          connectionTimeout: 1_000,
          throwOnRequestTimeout: true,
        },
        // The steps of its requests are the same each time: none is added later.
        cacheMiddleware: true,
      }),
    ),
    secrets: namingFailures(
      "secrets",
      new SecretsManagerClient({ ...settings("secretsmanager"), maxAttempts: 5, requestHandler: patientFor(5_000) }),
    ),
    s3: once(async () => {
      const { S3Client } = await import("./s3.ts");
      const client = new S3Client({
        ...settings("s3"),
        maxAttempts: 5,
        // Objects may be megabytes.
        requestHandler: patientFor(10_000),
        // Local endpoints have no host name for each bucket.
        forcePathStyle: (settings("s3").endpoint ?? process.env.AWS_ENDPOINT_URL_S3) !== undefined,
      });
      return namingFailures("s3", client);
    }),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
