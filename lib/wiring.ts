import { hash } from "node:crypto";
import { setTimeout as sleepFor } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { namingFailures } from "./aws-failure.ts";
import type { SourceConfig } from "./config.ts";
import { createWorkerCoordination } from "./coordination.ts";
import { progressChannel } from "./diagnostics.ts";
import { type Environment, EnvironmentError } from "./environment.ts";
import { PUBLISH_TIMEOUT } from "./polling/context.ts";
import { LONGEST_WAIT } from "./polling/paused.ts";
import type { Ports, Vault } from "./polling/ports.ts";
import { createEventBridgePublisher } from "./publisher/event-bridge.ts";
import { readCredentials } from "./secrets/credentials.ts";
import { createTokenStore } from "./secrets/token-store.ts";
import { createDynamoState } from "./state/dynamo-state.ts";
import { createShared } from "./state/shared.ts";
import { createSurveyApi } from "./survey-api/index.ts";
import { toSurveyService } from "./survey-service.ts";

/** The SDK clients, made once for a process and shared by all sources. Endpoints and credentials come from the environment. */
export interface Clients {
  dynamodb: DynamoDBDocumentClient;
  events: EventBridgeClient;
  secrets: SecretsManagerClient;
  s3: S3Client;
}

/** The object graph of one source. */
export interface SourceGraph {
  source: SourceConfig;
  ports: Ports;
  /** Fingerprint of the service's base URL. */
  service: string;
  /** To be awaited at the end of each invocation, whatever came of it: tells the other workers what this one has learned. Never rejects. */
  settle: () => Promise<void>;
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

export function createClients(): Clients {
  const dynamodb = new DynamoDBClient({ maxAttempts: 5, requestHandler: patientFor(5_000) });
  return {
    dynamodb: DynamoDBDocumentClient.from(namingFailures("dynamodb", dynamodb), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    // The publisher retries by itself, entry by entry and under the lease: here one attempt, over in time for the guard.
    events: new EventBridgeClient({
      maxAttempts: 1,
      requestHandler: { requestTimeout: PUBLISH_TIMEOUT - 500, connectionTimeout: 1_000, throwOnRequestTimeout: true },
    }),
    secrets: namingFailures("secrets", new SecretsManagerClient({ maxAttempts: 5, requestHandler: patientFor(5_000) })),
    // Local endpoints have no host name for each bucket.
    s3: namingFailures(
      "s3",
      new S3Client({
        maxAttempts: 5,
        // Objects may be megabytes.
        requestHandler: patientFor(10_000),
        forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
      }),
    ),
  };
}

export function createSourceGraph(source: SourceConfig, environment: Environment, clients: Clients): SourceGraph {
  const secretIds = environment.secrets[source.name];
  if (secretIds === undefined) {
    throw new EnvironmentError(`there are no secrets for source "${source.name}"`, { hint: "Deploy the stack again." });
  }
  const service = hash("sha256", source.baseUrl, "hex").slice(0, 16);
  const credentials = () => readCredentials(clients.secrets, secretIds.credentials);
  const table = { client: clients.dynamodb, name: environment.tableName };
  const sleep = async (milliseconds: number): Promise<void> => {
    await sleepFor(milliseconds);
  };
  const workers = createWorkerCoordination(createShared(table, source.name, { now: Date.now, sleep }));
  const api = createSurveyApi({
    baseUrl: source.baseUrl,
    credentials,
    tokenStore: createTokenStore(clients.secrets, secretIds.token, async () =>
      hash("sha256", JSON.stringify([source.baseUrl, (await credentials()).clientId]), "hex").slice(0, 32),
    ),
    timeouts: { connect: source.timeouts.connect, headers: source.timeouts.response, body: source.timeouts.response },
    concurrency: source.concurrency,
    ...(source.maxRequestsPerSecond === undefined ? {} : { maxRequestsPerSecond: source.maxRequestsPerSecond }),
    retry: { longestPause: LONGEST_WAIT },
    coordination: workers.coordination,
  });
  const state = createDynamoState(table, source.name);
  const vault = createVault(clients.s3, environment.claimCheckBucket);
  const ports: Ports = {
    clock: { now: Date.now, every },
    service: toSurveyService(api),
    state: {
      ...state,
      async account() {
        const account = await state.account();
        workers.takeOver(account, api);
        return account;
      },
    },
    publisher: createEventBridgePublisher({
      client: clients.events,
      bus: environment.busName,
      eventSource: source.eventSource,
      bucket: environment.claimCheckBucket,
      putObject: (key, body) => putJson(clients.s3, environment.claimCheckBucket, key, body),
      inlineLimit: source.inlineLimit,
      sleep,
    }),
    vault,
    observe: (progress) => {
      if (progressChannel.hasSubscribers) progressChannel.publish({ source: source.name, ...progress });
    },
  };
  return { source, ports, service, settle: () => workers.settle(api) };
}

function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds);
  return () => clearInterval(timer);
}

function createVault(s3: S3Client, bucket: string): Vault {
  return {
    put: (key, value) => putJson(s3, bucket, key, JSON.stringify(value)),
    async get(key) {
      try {
        const answer = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return JSON.parse((await answer.Body?.transformToString()) ?? "null");
      } catch (error) {
        // Without the right to list the bucket, S3 answers for a missing key that access is denied.
        if (error instanceof Error && ["NoSuchKey", "AccessDenied"].includes(error.name)) return undefined;
        throw error;
      }
    },
    delete: async (key) => {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}

async function putJson(s3: S3Client, bucket: string, key: string, body: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: "application/json" }));
}
