import { randomBytes } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { awsJsonHandler, REGION } from "./aws-json.ts";
import { type DataFolderUnusableError, type DataPart, openDataFolder, storeFailure, unopened } from "./data-folder.ts";
import { type Middleware, openDoor, type Service } from "./door.ts";
import { dynamodbOperations, openItemsFile } from "./dynamodb.ts";
import { type EventSink, eventBridgeOperations } from "./event-bridge/event-bridge.ts";
import { openQueuesAndBuckets } from "./queues-and-buckets.ts";
import { secretsOperations } from "./secrets.ts";

/** Told of each that has started in this process, once its services listen. */
const startedChannel = channel("survey-poller:embedded-aws");

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

export type EmbeddedAws = Awaited<ReturnType<typeof startEmbeddedAws>>;

/**
 * Starts DynamoDB, SQS, S3, EventBridge and Secrets Manager in this process, on 127.0.0.1 alone and for its own clients alone. What any of
 * them has acknowledged survives a kill -9.
 *
 * @throws {DataFolderInUseError} when another process has the folder
 * @example
 * const aws = await startEmbeddedAws({ dataDir, onEvent: (event) => appendFileSync(file, `${JSON.stringify(event)}\n`) });
 * Object.assign(process.env, aws.env); // before the first SDK client is made
 */
export async function startEmbeddedAws(options: EmbeddedAwsOptions) {
  const middlewares = new Set<Middleware>();
  const accessKeyId = `local${randomBytes(16).toString("hex")}`;
  /** The only ones that are let in. */
  const credentials = { accessKeyId, secretAccessKey: SECRET_ACCESS_KEY };
  const parts = new AsyncDisposableStack();
  const handlers: Partial<Record<Service, RequestListener>> = {};
  // The address comes before the services: the URLs of queues are made of it. Until all are open nobody has the access key.
  const door = await openDoor((service) => handlers[service] ?? notOpen, accessKeyId, middlewares);
  const { endpoint } = door;

  async function close(): Promise<void> {
    await door.close();
    await parts.disposeAsync();
  }

  /** Puts it behind those that each request passes already. Gives the function that takes it away. */
  function use(middleware: Middleware): () => void {
    middlewares.add(middleware);
    return () => void middlewares.delete(middleware);
  }

  try {
    const data = openDataFolder(options.dataDir);
    parts.defer(data.release);
    const { onBroken } = options;
    if (onBroken !== undefined) {
      const thrown = (error: unknown): void => {
        const failure = storeFailure(error, options.dataDir);
        if (failure === undefined) throw error;
        onBroken(failure);
      };
      process.on("uncaughtException", thrown);
      parts.defer(() => void process.off("uncaughtException", thrown));
    }
    const open = async <T>(part: DataPart, start: (folder: string) => T | Promise<T>): Promise<T> => {
      try {
        return await start(data.folder(part));
      } catch (error) {
        throw unopened(options.dataDir, part, error);
      }
    };
    const items = await open("dynamodb", openItemsFile);
    parts.defer(items.close);
    const queues = await open("queues-and-buckets", (folder) => openQueuesAndBuckets(folder, endpoint));
    parts.defer(queues.close);
    const { onEvent = () => undefined } = options;
    const events = await open("event-bridge", (folder) =>
      eventBridgeOperations({ file: join(folder, "rules.json"), queues, onEvent }),
    );
    const secrets = await open("secrets", secretsOperations);
    Object.assign(handlers, {
      dynamodb: awsJsonHandler("DynamoDB_20120810", dynamodbOperations(items.database)),
      sqs: queues.handle,
      s3: queues.handle,
      eventbridge: awsJsonHandler("AWSEvents", events),
      secretsmanager: awsJsonHandler("secretsmanager", secrets),
    });
    const aws = { endpoint, credentials, env: environment(endpoint, accessKeyId), use, close };
    startedChannel.publish(aws);
    return aws;
  } catch (error) {
    await close();
    throw error;
  }
}

const SERVICES = ["DYNAMODB", "SQS", "S3", "EVENTBRIDGE", "SECRETS_MANAGER"];

/** Nobody looks at it: the access key alone lets in. */
const SECRET_ACCESS_KEY = "local";

const notOpen: RequestListener = (_request, response) => void response.destroy();

/** The environment in which an unmodified AWS SDK talks to this endpoint, and to no other. */
function environment(endpoint: string, accessKeyId: string): Record<string, string> {
  return {
    // Each by its own name, which the user's own set-up may have given to another address.
    ...Object.fromEntries(SERVICES.map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint])),
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY,
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
