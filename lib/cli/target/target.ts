import { type Bucket, createBucket } from "../../aws/bucket.ts";
import type { Clients, ClientSettings as SdkSettings } from "../../aws/clients.ts";
import { type Config, parseConfig, type SourceConfig } from "../../config/index.ts";
import type { InputOf, OperationKind, ResultOf } from "../../operator/operations.ts";
import type { Environment } from "../../run/environment.ts";
import type { PollInput } from "../../run/poll-input.ts";
import type { PollOutput } from "../../run/poll-sources.ts";
import type { Table } from "../../state/table-client.ts";
import { CommandError, exitOf, UsageError } from "../errors.ts";

/** Names of what a poller works on, as its function has them. */
export type Resources = Pick<Environment, "tableName" | "busName" | "claimCheckBucket" | "secrets">;

/** Parts of a deployed stack that a data folder does not have. */
export interface StackParts {
  stackName: string;
  functionName: string;
  /** Outputs of the stack by their name without the prefix, such as `DeadLetterQueueUrl`. */
  outputs: Readonly<Record<string, string>>;
  /** Invokes a function of the stack; `what` names it for people, such as "the forwarder". */
  call(functionName: string, what: string, input: object): Promise<unknown>;
}

/** How the last run on a data folder came to its end. */
export interface RunEnd {
  at: number;
  /** Why it could not go on, in one line that says what to do; absent where it ended as it should. */
  cause?: string | undefined;
}

/** A poller that a verb works on: a stack, or a data folder. To be closed. */
export interface Target extends AsyncDisposable {
  /** For people: "stack SurveyPoller" or "data folder .survey-poller". */
  name: string;
  /** How a command line names it: "--stack SurveyPoller" or "--data .survey-poller". */
  flags: string;
  resources: Resources;
  stack?: StackParts;
  /** Of a data folder alone: the folder with the state, whether a run is at work on it, and how the last one ended where that was noted. */
  data?: { folder: string; isRunning: boolean; end?: RunEnd | undefined };
  clients: Clients;
  table: Table;
  /** Claim checks and kept records. */
  bucket: Bucket;
  /** Settings for further SDK clients: `new SQSClient(target.client("sqs"))`. */
  client(service: "sqs" | "eventbridge" | "s3" | "secretsmanager" | "dynamodb"): ClientSettings;
  config(): Promise<Config>;
  invoke(input: PollInput): Promise<PollOutput>;
  /**
   * Runs an operation in the function.
   *
   * @throws CommandError with the code, message and hint of the operation's own error
   */
  operate<Kind extends OperationKind>(source: string, kind: Kind, input: InputOf<Kind>): Promise<ResultOf<Kind>>;
}

/** Nothing where the process's own environment says it all. */
export type ClientSettings = SdkSettings & { forcePathStyle?: boolean };

interface Parts
  extends Omit<Target, "table" | "bucket" | "config" | "invoke" | "operate" | typeof Symbol.asyncDispose> {
  call(input: object): Promise<unknown>;
  readConfig(): Promise<unknown>;
  close(): Promise<void>;
}

export function targetOf({ call, readConfig, close, ...parts }: Parts): Target {
  let config: Promise<Config> | undefined;
  const { clients, resources } = parts;
  return {
    ...parts,
    table: { client: clients.dynamodb, name: resources.tableName },
    bucket: createBucket(clients.s3, resources.claimCheckBucket),
    config() {
      config ??= readConfig().then((raw) => parseConfig(raw, { deployed: false }));
      return config;
    },
    invoke: (input) => call(input) as Promise<PollOutput>,
    operate: async (source, kind, input) => resultOf(await call({ source, operation: { kind, ...input } })),
    async [Symbol.asyncDispose]() {
      await close();
      for (const client of [clients.dynamodb, clients.events, clients.secrets]) client.destroy();
    },
  };
}

export function resultOf<Result>(output: unknown): Result {
  const { result, error } = output as { result?: Result; error?: { code: string; message: string; hint: string } };
  if (error !== undefined) throw new CommandError(error.code, error.message, { hint: error.hint }, exitOf(error.code));
  if (result === undefined) {
    const hint = "Deploy the version that this command is of.";
    throw new CommandError("OLD_FUNCTION", "the function does not know the operation", { hint });
  }
  return result;
}

/** The sources that are meant: the one of this name, or all. */
export async function sourcesOf(target: Target, name: string | undefined): Promise<SourceConfig[]> {
  const { sources } = await target.config();
  if (name === undefined) return sources;
  const found = sources.filter((source) => source.name === name);
  if (found.length > 0) return found;
  const known = sources.map((source) => source.name).join(", ");
  throw new UsageError(`there is no source of that name in ${target.name}`, { hint: `Its sources: ${known}.` });
}

/** The one source that is meant, which has to be named where there are several. */
export async function oneSource(target: Target, name: string | undefined): Promise<SourceConfig> {
  const found = await sourcesOf(target, name);
  const [source] = found;
  if (source !== undefined && found.length === 1) return source;
  const hint = `Say which: --source ${found.map((one) => one.name).join(" or --source ")}.`;
  throw new UsageError(`${target.name} has several sources`, { hint });
}
