import { join, resolve } from "node:path";
import { asCalled, BY_NPX } from "../../cli/called-as.ts";
import { oneLine } from "../../errors.ts";
import { clearDataFolder, type EmbeddedAws, type EventEnvelope, startEmbeddedAws, storeFailure } from "../aws/index.ts";
import type { CommandLine } from "../command-line.ts";
import { runDemoLife, startSimulator } from "../simulator/index.ts";
import { type EventsFile, openEventsFile } from "./events-file.ts";
import { noteEnd } from "./last-run.ts";
import { startLivePage } from "./live-page.ts";
import { loadFunction } from "./load-function.ts";
import { removeLog } from "./log-file.ts";
import { type ProgressView, showProgress } from "./progress.ts";
import { givenCredentials, type RunConfiguration, runConfiguration } from "./run-configuration.ts";
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

/** The demo's time is quick: what a real poller looks after in hours and days it looks after in seconds. */
const DEMO_CONFIGURATION = {
  timeZone: "UTC",
  advanced: { backgroundRequests: 8, rescan: { every: "10s", full: "10s" } },
};

/** One line for the end of a run: what went wrong, and what to do. */
export function causeOf(error: unknown): string {
  const line = oneLine(error, (own) => {
    return `survey-poller stopped: unexpected ${own instanceof Error ? `${own.name}: ${own.message}` : "failure"}`;
  });
  return error instanceof Error && "hint" in error ? asCalled(line, BY_NPX) : line;
}

/** The whole system on this machine, from the data folder to the closing summary. */
export async function run({ line, environment, stop }: RunRequest): Promise<void> {
  const isDemo = line.baseUrl === undefined && line.config === undefined;
  const life = new AbortController();
  const closing: (() => void | Promise<void>)[] = [];
  const view = showProgress(line.events === "-" ? process.stderr : process.stdout);
  closing.push(() => view.stop());
  let cause: string | undefined;
  try {
    const simulator = isDemo ? await startSimulator({ seed: 1 }) : undefined;
    if (simulator !== undefined) closing.push(() => simulator.close());
    const configured =
      simulator === undefined
        ? runConfiguration(line)
        : runConfiguration(
            { ...line, baseUrl: simulator.url, interval: line.interval ?? DEMO_INTERVAL },
            DEMO_CONFIGURATION,
          );
    const sinks: ((envelope: EventEnvelope) => void)[] = [view.event];
    const unwritable = new AbortController();
    if (line.events !== undefined) {
      const file = openEventsFile(line.events);
      closing.push(() => file.close());
      unwritable.signal.addEventListener("abort", view.stop);
      sinks.unshift(writingTo(file, unwritable));
    }
    // The demo's service is born with each run, so its state is too: in a folder of its own.
    const folder = isDemo ? join(line.data, "demo") : line.data;
    const aws = await startAws(folder, isDemo, sinks, view);
    closing.push(() => aws.close());
    closing.push(() => noteEnd(folder, { at: Date.now(), cause }));
    const polled = greeting(configured, isDemo);
    view.say(polled);
    const { invoke, kill } = await loadFunction(
      configured,
      { dataDir: folder, aws: aws.env, events: pathOf(line.events) },
      (source) => (simulator === undefined ? givenCredentials(source, line, environment) : simulator),
    );
    closing.push(async () => void (await kill()));
    const demo = simulator && { simulator, aws, kill };
    const page = await startLivePage({ line, folder, polled, demo, say: view.say });
    closing.push(() => page.close(cause));
    sinks.push(page.event);
    if (configured.config.webhooks.length > 0) {
      view.say("webhooks is set but acts only when deployed: on this machine no endpoint is called.");
    }
    if (simulator !== undefined) void runDemoLife(simulator, { signal: life.signal });

    const started = performance.now();
    const interval = configured.config.sources.reduce((least, source) => Math.min(least, source.interval), Infinity);
    const ending = AbortSignal.any([stop, unwritable.signal]);
    const ticks = runTicks({ invoke, ticks: line.ticks, interval, stop: ending, view });
    const result = await ticks.finally(() => unwritable.signal.throwIfAborted());
    view.stop();
    const { totals } = view;
    view.say(
      `done: ${result.ticks} ticks in ${((performance.now() - started) / 1000).toFixed(1)} s, ${totals.emitted} events, ` +
        `${totals.requests} requests to the service, ${totals.withheld} withheld`,
    );
    for (const { name } of configured.config.sources) {
      for (const text of await surveyLines(name, totals.bySurvey.get(name) ?? new Map())) view.say(text);
    }
  } catch (error) {
    const failure = storeFailure(error, line.data) ?? error;
    cause = causeOf(failure);
    throw failure;
  } finally {
    life.abort();
    for (const step of closing.reverse()) await step();
  }
}

/** A file that takes no more ends the run: its events would be tried again for ever, and nobody would be told why. */
function writingTo(file: EventsFile, unwritable: AbortController): (envelope: EventEnvelope) => void {
  return (envelope) => {
    try {
      file.append(JSON.stringify(envelope));
    } catch (error) {
      unwritable.abort(error);
      throw error;
    }
  };
}

/** For commands that are called from elsewhere. */
function pathOf(events: string | undefined): string | undefined {
  return events === undefined || events === "-" ? events : resolve(events);
}

/** @param sinks get each event, one after the other; they may grow */
async function startAws(
  dataDir: string,
  isDemo: boolean,
  sinks: readonly ((envelope: EventEnvelope) => void)[],
  view: Pick<ProgressView, "stop">,
): Promise<EmbeddedAws> {
  if (isDemo) {
    clearDataFolder(dataDir);
    removeLog(dataDir);
  }
  const aws = await startEmbeddedAws({
    dataDir,
    onEvent: (envelope) => {
      for (const sink of sinks) sink(envelope);
    },
    onBroken(error) {
      view.stop();
      process.stderr.write(`${causeOf(error)}\n`);
      noteEnd(dataDir, { at: Date.now(), cause: causeOf(error) });
      process.exit(1);
    },
  });
  // For the clients that the run makes itself.
  Object.assign(process.env, aws.env);
  return aws;
}

function greeting({ config }: RunConfiguration, demo: boolean): string {
  const sources = config.sources.map((source) => `${source.name} at ${source.baseUrl}`).join(", ");
  return demo ? `demo: polling a simulated survey service at ${config.sources[0]?.baseUrl}` : `polling ${sources}`;
}
