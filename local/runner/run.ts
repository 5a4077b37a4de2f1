import { join } from "node:path";
import { actingDeployedOnly } from "../../lib/config/index.ts";
import { clearDataFolder, type EmbeddedAws, startEmbeddedAws } from "../aws/index.ts";
import type { CommandLine } from "../command-line.ts";
import { runDemoLife, type Simulator, startSimulator } from "../simulator/index.ts";
import { type EventsFile, openEventsFile } from "./events-file.ts";
import { givenCredentials } from "./given-credentials.ts";
import { loadFunction } from "./load-function.ts";
import { openLogFile } from "./log-file.ts";
import { showProgress } from "./progress.ts";
import { type RunConfiguration, runConfiguration } from "./run-configuration.ts";
import { surveyLines } from "./summary.ts";
import { runTicks } from "./tick-loop.ts";

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
    const log = openLogFile(dataFolder(line, demo), { anew: demo });
    closing.push(() => log.close());
    const invoke = await loadFunction(configured, { dataDir: dataFolder(line, demo), aws: aws.env }, (source) =>
      simulator === undefined ? givenCredentials(source, line, environment) : simulator,
    );

    const view = showProgress(line.events === "-" ? process.stderr : process.stdout);
    closing.push(() => view.stop());
    for (const notice of actingDeployedOnly(configured.config)) view.say(notice);
    view.say(greeting(configured, demo));
    if (simulator !== undefined) void runDemoLife(simulator, { signal: life.signal });

    const started = Date.now();
    const interval = configured.config.sources.reduce((least, source) => Math.min(least, source.interval), Infinity);
    const result = await runTicks({ invoke, ticks: line.ticks, interval, stop, view });
    view.stop();
    const { totals } = view;
    view.say(
      `done: ${result.ticks} ticks in ${((Date.now() - started) / 1000).toFixed(1)} s, ${totals.emitted} events, ` +
        `${totals.requests} requests to the service, ${totals.withheld} withheld`,
    );
    for (const { name } of configured.config.sources) {
      for (const text of await surveyLines(name, totals.bySurvey.get(name) ?? new Map())) view.say(text);
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
  if (demo) clearDataFolder(dataDir);
  const aws = await startEmbeddedAws(options);
  // Before the bundle is loaded: its clients read them when they are made.
  Object.assign(process.env, aws.env);
  return aws;
}

function greeting({ config }: RunConfiguration, demo: boolean): string {
  const sources = config.sources.map((source) => `${source.name} at ${source.baseUrl}`).join(", ");
  return demo ? `demo: polling a simulated survey service at ${config.sources[0]?.baseUrl}` : `polling ${sources}`;
}
