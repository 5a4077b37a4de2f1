import { randomBytes } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { awsJsonHandler } from "./aws-json.ts";
import { type DataFolderUnusableError, type DataPart, openDataFolder, storeFailure, unopened } from "./data-folder.ts";
import { type Middleware, openDoor } from "./door.ts";
import { dynamodbOperations, openItemsFile } from "./dynamodb.ts";
import { type EventSink, putEventsOperation } from "./event-bridge/put-events.ts";
import { openRules } from "./event-bridge/rules.ts";
import { openQueuesAndBuckets, type QueuesAndBuckets } from "./queues-and-buckets.ts";
import { secretsOperations } from "./secrets.ts";
import { REGION, type Service } from "./services.ts";

/** Told of each that has started in this process, once its services listen. */
export const startedChannel = channel("survey-poller:embedded-aws");

export interface EmbeddedAwsOptions {
  /** Folder that keeps all state; made with mode 0700, used by one process at a time. */
  dataDir: string;
  /**
   * Called for each event a bus accepts, one at a time, and awaited before PutEvents is answered. When it throws, the
   * entry fails as `InternalFailure`, which publishers retry.
   */
  onEvent?: EventSink;
  /**
   * Called when a store fails where nobody can catch it, as dynalite does on a full disk. Requests to it are never answered from then on, so the
   * process has to end. Without it such an error ends the process with its stack.
   */
  onBroken?: (error: DataFolderUnusableError) => void;
}

export interface EmbeddedAws {
  /** Addresses on 127.0.0.1. */
  endpoints: Record<Service, string>;
  /** The only ones that are let in, made anew at each start. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** The environment in which an unmodified AWS SDK talks to these endpoints, and to no other. */
  env: Record<string, string>;
  /** Puts it behind those that each request passes already. Gives the function that takes it away. */
  use(middleware: Middleware): () => void;
  /** Stops all services. */
  close(): Promise<void>;
}

/**
 * Starts DynamoDB, SQS, S3, EventBridge and Secrets Manager in this process, on 127.0.0.1 alone and for its own clients alone. What any of
 * them has acknowledged survives a kill -9.
 *
 * @throws {DataFolderInUseError} when another process has the folder
 * @example
 * const aws = await startEmbeddedAws({ dataDir, onEvent: (event) => appendFileSync(file, `${JSON.stringify(event)}\n`) });
 * Object.assign(process.env, aws.env); // before the first SDK client is made
 */
export async function startEmbeddedAws(options: EmbeddedAwsOptions): Promise<EmbeddedAws> {
  const middlewares: Middleware[] = [];
  const accessKeyId = `local${randomBytes(16).toString("hex")}`;
  const credentials = { accessKeyId, secretAccessKey: "local" };
  const closing: (() => void | Promise<void>)[] = [];

  async function close(): Promise<void> {
    for (const step of closing.splice(0).reverse()) await step();
  }

  function use(middleware: Middleware): () => void {
    middlewares.push(middleware);
    return () => {
      const at = middlewares.indexOf(middleware);
      if (at >= 0) middlewares.splice(at, 1);
    };
  }

  async function listen(service: Service, handle: RequestListener): Promise<string> {
    const door = await openDoor(service, handle, accessKeyId, middlewares);
    closing.push(door.close);
    return door.endpoint;
  }

  try {
    const data = openDataFolder(options.dataDir);
    closing.push(data.release);
    if (options.onBroken !== undefined) closing.push(watchStores(options.dataDir, options.onBroken));
    const open = async <T>(part: DataPart, start: (folder: string) => T | Promise<T>): Promise<T> => {
      try {
        return await start(data.folder(part));
      } catch (error) {
        throw unopened(options.dataDir, part, error);
      }
    };
    const items = await open("dynamodb", openItemsFile);
    closing.push(items.close);
    const dynamodb = await listen("dynamodb", awsJsonHandler("DynamoDB_20120810", dynamodbOperations(items.database)));
    const { sqs, s3, queues } = await open("queues-and-buckets", startQueuesAndBuckets);
    const eventbridge = await open("event-bridge", (folder) => startEventBridge(folder, queues));
    const secrets = await open("secrets", secretsOperations);
    const secretsmanager = await listen("secretsmanager", awsJsonHandler("secretsmanager", secrets));
    const endpoints = { dynamodb, sqs, s3, eventbridge, secretsmanager };
    const aws = { endpoints, credentials, env: environment(endpoints, credentials), use, close };
    startedChannel.publish(aws);
    return aws;
  } catch (error) {
    await close();
    throw error;
  }

  async function startQueuesAndBuckets(folder: string) {
    // The address comes before the queues, whose URLs are made of it.
    let opened: QueuesAndBuckets | undefined;
    const handle: RequestListener = (request, response) => {
      if (opened === undefined) response.destroy();
      else opened.handle(request, response);
    };
    const sqs = await listen("sqs", handle);
    const s3 = await listen("s3", handle);
    const queues = await openQueuesAndBuckets(folder, sqs);
    opened = queues;
    closing.push(queues.close);
    return { sqs, s3, queues };
  }

  async function startEventBridge(folder: string, queues: QueuesAndBuckets): Promise<string> {
    const rules = openRules(join(folder, "rules.json"));
    const PutEvents = putEventsOperation({ rules, queues, onEvent: options.onEvent ?? (() => undefined) });
    return listen("eventbridge", awsJsonHandler("AWSEvents", { ...rules.operations, PutEvents }));
  }
}

/** Gives the function that ends it. */
function watchStores(dataDir: string, onBroken: (error: DataFolderUnusableError) => void): () => void {
  const thrown = (error: unknown): void => {
    const failure = storeFailure(error, dataDir);
    if (failure === undefined) throw error;
    onBroken(failure);
  };
  process.on("uncaughtException", thrown);
  return () => void process.off("uncaughtException", thrown);
}

function environment(
  endpoints: Record<Service, string>,
  { accessKeyId, secretAccessKey }: EmbeddedAws["credentials"],
): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    // Nothing of the user's own AWS set-up may have a say, and no metadata service be asked. Empty counts as unset.
    AWS_PROFILE: "",
    AWS_SESSION_TOKEN: "",
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "false",
    AWS_USE_DUALSTACK_ENDPOINT: "false",
    AWS_USE_FIPS_ENDPOINT: "false",
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}
