import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleFunction } from "../../infra/bundle.ts";
import type { SourceConfig } from "../../lib/config.ts";
import { notYetActing } from "../../lib/config.ts";
import { type EmbeddedAws, startEmbeddedAws } from "../aws/index.ts";
import { type CommandLine, UsageError } from "../command-line.ts";
import { runDemoLife, type Simulator, startSimulator } from "../simulator/index.ts";
import { type EventsFile, openEventsFile } from "./events-file.ts";
import { showProgress } from "./progress.ts";
import { fillCredentials, hasCredentials, names, provision } from "./provision.ts";
import { type RunConfiguration, runConfiguration } from "./run-configuration.ts";
import { surveyLines } from "./summary.ts";
import { type PollHandler, runTicks } from "./tick-loop.ts";

export interface RunRequest {
  line: CommandLine;
  environment: Record<string, string | undefined>;
  /** Aborted when the user wants to stop: the tick under way is finished. */
  stop: AbortSignal;
}

/** A demo shows something every few seconds; a real service is asked as often as it is configured. */
const DEMO_INTERVAL = 2_000;

/** The whole system on this machine, from the data folder to the closing summary. */
export async function run({ line, environment, stop }: RunRequest): Promise<void> {
  const demo = line.baseUrl === undefined && line.config === undefined;
  const life = new AbortController();
  const closing: (() => void | Promise<void>)[] = [];
  try {
    const simulator = demo ? await startSimulator({ seed: 1 }) : undefined;
    if (simulator !== undefined) closing.push(() => simulator.close());
    const configured = runConfiguration(demo ? demoLine(line, simulator) : line);
    const events = line.events === undefined ? undefined : openEventsFile(line.events);
    if (events !== undefined) closing.push(() => events.close());
    const aws = await startAws(line, demo, events);
    closing.push(() => aws.close());
    const handler = await loadHandler(configured, dataFolder(line, demo), aws, (source) =>
      credentialsOf(source, line, environment, simulator),
    );

    const view = showProgress(line.events === "-" ? process.stderr : process.stdout);
    closing.push(() => view.stop());
    for (const notice of notYetActing(configured.config)) view.say(notice);
    view.say(greeting(configured, demo));
    if (simulator !== undefined) void runDemoLife(simulator, { signal: life.signal });

    const started = Date.now();
    const interval = configured.config.sources.reduce((least, source) => Math.min(least, source.interval), Infinity);
    const result = await runTicks({ handler, ticks: line.ticks, interval, stop, view });
    view.stop();
    const { totals } = view;
    view.say(
      `done: ${result.ticks} ticks in ${((Date.now() - started) / 1000).toFixed(1)} s, ${totals.emitted} events, ` +
        `${totals.requests} requests to the service, ${totals.quarantined} quarantined`,
    );
    for (const { name } of configured.config.sources) {
      for (const text of await surveyLines(name, result.emitted.get(name) ?? new Map())) view.say(text);
    }
  } finally {
    life.abort();
    for (const step of closing.reverse()) await step();
  }
}

function demoLine(line: CommandLine, simulator: Simulator | undefined): CommandLine {
  return { ...line, baseUrl: simulator?.url ?? "", interval: line.interval ?? DEMO_INTERVAL };
}

/** The demo's service is born with each run, so its state is too: in a folder of its own. */
function dataFolder(line: CommandLine, demo: boolean): string {
  return demo ? join(line.data, "demo") : line.data;
}

async function startAws(line: CommandLine, demo: boolean, events: EventsFile | undefined): Promise<EmbeddedAws> {
  const dataDir = dataFolder(line, demo);
  const options = {
    dataDir,
    ...(events === undefined ? {} : { onEvent: (envelope: unknown) => events.append(JSON.stringify(envelope)) }),
  };
  if (demo) {
    // Starting once takes the folder's lock, so that another demo's state is not pulled from under it.
    await (await startEmbeddedAws({ dataDir })).close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const aws = await startEmbeddedAws(options);
  // Before the bundle is loaded: its clients read them when they are made.
  Object.assign(process.env, aws.env);
  return aws;
}

/** Makes what the stack would make, bundles the function as the stack would, and loads it as Lambda would. */
async function loadHandler(
  { raw, config }: RunConfiguration,
  dataDir: string,
  _aws: EmbeddedAws,
  credentials: (source: SourceConfig) => { clientId: string; clientSecret: string } | undefined,
): Promise<PollHandler> {
  const bus = config.bus.name;
  const secrets = await provision({ bus, sources: config.sources.map((source) => source.name) });
  for (const source of config.sources) {
    const ids = secrets[source.name];
    if (ids === undefined) continue;
    const given = credentials(source);
    if (given !== undefined) await fillCredentials(ids.credentials, given);
    else if (!(await hasCredentials(ids.credentials))) {
      throw new UsageError("there are no credentials for the survey service", {
        hint: "Give --client-id and --client-secret, or SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET in the environment.",
      });
    }
  }
  Object.assign(process.env, {
    TABLE_NAME: names.table,
    BUS_NAME: bus,
    CLAIM_CHECK_BUCKET: names.bucket,
    SECRETS: JSON.stringify(secrets),
    // The progress view tells what there is to tell; standard output may belong to the events.
    POWERTOOLS_LOG_LEVEL: "SILENT",
  });
  const { file } = bundleFunction("poll", join(dataDir, "bundle"), raw);
  const loaded = (await import(pathToFileURL(file).href)) as { handler: PollHandler };
  return loaded.handler;
}

function credentialsOf(
  source: SourceConfig,
  line: CommandLine,
  environment: Record<string, string | undefined>,
  simulator: Simulator | undefined,
): { clientId: string; clientSecret: string } | undefined {
  if (simulator !== undefined) return { clientId: simulator.clientId, clientSecret: simulator.clientSecret };
  const suffix = source.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
  const clientId = line.clientId ?? environment[`SURVEY_CLIENT_ID_${suffix}`] ?? environment.SURVEY_CLIENT_ID;
  const clientSecret =
    line.clientSecret ?? environment[`SURVEY_CLIENT_SECRET_${suffix}`] ?? environment.SURVEY_CLIENT_SECRET;
  if (!clientId && !clientSecret) return undefined;
  if (clientId && clientSecret) return { clientId, clientSecret };
  throw new UsageError(`the client ${clientId ? "secret" : "id"} is missing`, {
    hint: "Give both --client-id and --client-secret, or both SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET.",
  });
}

function greeting({ config }: RunConfiguration, demo: boolean): string {
  const sources = config.sources.map((source) => `${source.name} at ${source.baseUrl}`).join(", ");
  return demo ? `demo: polling a simulated survey service at ${config.sources[0]?.baseUrl}` : `polling ${sources}`;
}
