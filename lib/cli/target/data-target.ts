import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClients } from "../../aws/clients.ts";
import { readDeployedConfig } from "../../config/deployed-config.ts";
import { PollerError } from "../../errors.ts";
import { DataFolderInUseError, type EmbeddedAws, type EventSink, startEmbeddedAws } from "../../local/aws/index.ts";
import { type EventsFile, openEventsFile } from "../../local/runner/events-file.ts";
import { type FunctionThread, startFunction } from "../../local/runner/function-thread.ts";
import { LAST_RUN, type LastRun, readLastRun } from "../../local/runner/last-run.ts";
import { bundleFolder } from "../../local/runner/load-function.ts";
import { readEnvironment } from "../../run/environment.ts";
import { CommandError, InterruptedError, notNow } from "../errors.ts";
import type { Io } from "../io.ts";
import { quoted } from "../words.ts";
import { type ClientSettings, type Target, targetOf } from "./target.ts";

/** Milliseconds for which another command may have the folder, and between two looks. */
const LONGEST_WAIT = 30_000;
const LOOK_EVERY = 100;

/** Opens a data folder. Beside the run that is at work on it, it uses that run's own AWS, else an AWS of this command's own. */
export async function openDataTarget(data: string, io: Io): Promise<Target> {
  const folder = folderOf(data);
  return targetOver({ data, folder, ...(await openAws(data, folder, io)) }, io);
}

/** A data folder whose AWS is open: this process's own, or without `aws` that of the run that is at work on it. */
export function targetOver(
  { data, folder, run, aws }: { data: string; folder: string; run: LastRun; aws?: EmbeddedAws },
  io: Pick<Io, "signal" | "environment">,
): Target {
  const env = aws?.env ?? run.aws;
  const bundle = bundleFolder(folder);
  const resources = readEnvironment(run.variables);
  const clients = createClients((service) => settingsOf(env, service));
  let thread: FunctionThread | undefined;

  function call(input: object): Promise<unknown> {
    const variables = {
      ...env,
      ...run.variables,
      POWERTOOLS_LOG_LEVEL: "SILENT",
      POWERTOOLS_METRICS_DISABLED: "true",
      // Beside a run it is not the only one.
      ...(aws === undefined ? {} : { ALONE: "true" }),
      ...(io.environment.SURVEY_PROXY === undefined ? {} : { SURVEY_PROXY: io.environment.SURVEY_PROXY }),
    };
    thread ??= startFunction(bundle, variables, folder);
    return thread.invoke(input, io.signal);
  }

  return targetOf({
    name: `data folder ${data}`,
    flags: `--data ${quoted(data)}`,
    resources,
    data: { folder, isRunning: aws === undefined, end: aws === undefined ? undefined : run.end },
    clients,
    client: (service) => settingsOf(env, service),
    call,
    readConfig: async () => (await readDeployedConfig({}, bundle)).raw,
    async close() {
      await thread?.close();
      await aws?.close();
    },
  });
}

/**
 * Takes the events that a verb publishes while no run is at work: into the file to which the last run wrote them. Where that cannot be, the command ends,
 * and the event does not count as emitted.
 */
function sinkOf(data: string, { events }: LastRun, io: Pick<Io, "fail">): EventSink {
  let file: EventsFile | undefined;
  return (envelope) => {
    if (events === undefined) return;
    try {
      if (events === "-") {
        throw notNow("NO_RUN_AT_WORK", `the last run on ${data} wrote its events to standard output, and has ended`, {
          hint: "Run npm start with the flags that it had, and this beside it: now the event would reach nobody.",
        });
      }
      file ??= openEventsFile(events);
      file.append(JSON.stringify(envelope));
    } catch (error) {
      if (error instanceof PollerError) io.fail(error);
      throw error;
    }
  };
}

/** The demo keeps its state in a folder of its own. */
function folderOf(data: string): string {
  for (const folder of [data, join(data, "demo")]) if (readLastRun(folder) !== undefined) return folder;
  const note = [data, join(data, "demo")].map((folder) => join(folder, LAST_RUN)).find(existsSync);
  const [message, hint] =
    note === undefined
      ? [`there is no state in ${data}`, "Run npm start first, or give the folder that npm start --data had."]
      : [`${note} cannot be read`, "The next npm start on the folder mends it: run it with the flags that it had."];
  throw new CommandError("NO_RUN", message, { hint });
}

/** The AWS in which the state is; of the run that has the folder, where `aws` is undefined. */
async function openAws(data: string, folder: string, io: Io): Promise<{ run: LastRun; aws?: EmbeddedAws }> {
  for (const until = performance.now() + LONGEST_WAIT; ; ) {
    const run = readLastRun(folder);
    try {
      if (run !== undefined) {
        const onEvent = sinkOf(data, run, io);
        return { run, aws: await startEmbeddedAws({ dataDir: folder, onEvent, onBroken: io.fail }) };
      }
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
      if (run !== undefined && (await answers(run.aws.AWS_ENDPOINT_URL_DYNAMODB))) return { run };
    }
    if (io.signal.aborted) throw new InterruptedError();
    if (performance.now() > until) {
      const hint = "Try again when it has ended.";
      throw notNow("DATA_FOLDER_IN_USE", `another command is at work on the data folder ${data}`, { hint });
    }
    await sleep(LOOK_EVERY);
  }
}

/** Whether somebody listens there: the run that has the folder, and no other command, which opens no door. */
async function answers(endpoint = ""): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  );
}

function settingsOf(env: Record<string, string>, service: string): ClientSettings {
  const name = service === "secretsmanager" ? "SECRETS_MANAGER" : service.toUpperCase();
  const endpoint = env[`AWS_ENDPOINT_URL_${name}`];
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    region: env.AWS_REGION ?? "us-east-1",
    credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID ?? "", secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "" },
    ...(service === "s3" ? { forcePathStyle: true } : {}),
  };
}
