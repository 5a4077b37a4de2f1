import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { PUBLISH_TIMEOUT } from "../polling/index.ts";
import { namingFailures } from "./failure.ts";
import { patientFor } from "./patience.ts";
import { createS3 } from "./s3-client.ts";

/** The SDK's step for logs copies what goes and comes, also where nobody has given it a logger: a tenth of what a request costs. */
function withoutLog<Client extends DynamoDBClient | EventBridgeClient>(client: Client): Client {
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}

/** Settings that a client takes beside the environment: its address, and who asks. */
export type ClientSettings = Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials">;
type ClientService = "dynamodb" | "eventbridge" | "secretsmanager" | "s3";

export type Clients = ReturnType<typeof createClients>;

/**
 * The SDK clients, made once for a process and shared by all sources. Endpoints and credentials come from the environment. Those that few
 * ticks need are loaded when they are needed first.
 *
 * @param settings of each service, where the environment of the process does not say it
 */
export function createClients(settings: (service: ClientService) => ClientSettings = () => ({})) {
  let s3: ReturnType<typeof createS3> | undefined;
  const often = { maxAttempts: 5, requestHandler: patientFor(5_000) };
  const dynamodb = withoutLog(new DynamoDBClient({ ...settings("dynamodb"), ...often }));
  return {
    dynamodb: DynamoDBDocumentClient.from(namingFailures("dynamodb", dynamodb), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    // One attempt, over in time for the guard. The publisher does its own retries, entry by entry and under the lease.
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
    secrets: namingFailures("secrets", new SecretsManagerClient({ ...settings("secretsmanager"), ...often })),
    s3: () => {
      s3 ??= createS3(settings("s3"));
      return s3;
    },
  };
}
