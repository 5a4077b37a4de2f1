import { join, resolve } from "node:path";
import { asCalled, BY_NPX } from "../../cli/called-as.ts";
import { targetOver } from "../../cli/target/data-target.ts";
import { quoted } from "../../cli/words.ts";
import type { LiveConsole } from "../../console/console.ts";
import { oneLine } from "../../errors.ts";
import { clearDataFolder, type EventEnvelope, startEmbeddedAws, storeFailure } from "../aws/index.ts";
import type { CommandLine } from "../command-line.ts";
import { runDemoLife, startSimulator } from "../simulator/index.ts";
import { openEventsFile } from "./events-file.ts";
import { noteEnd, readLastRun } from "./last-run.ts";
import { loadFunction } from "./load-function.ts";
import { removeLog } from "./log-file.ts";
import { showProgress } from "./progress.ts";
import { givenCredentials, runConfiguration } from "./run-configuration.ts";
import { surveyLines } from "./summary.ts";
import { runTicks } from "./tick-loop.ts";

/** A demo shows something every few seconds; a real service is asked as often as it is configured. */
const DEMO_INTERVAL = 2_000;

/**
 * The demo's time is quick: what a real poller looks after in hours and days it looks after in seconds. After an hour a full
 * read takes some 230 requests, which fit into `rescan.full` at 100 a tick.
 */
const DEMO_CONFIGURATION = {
  timeZone: "UTC",
  advanced: { backgroundRequests: 100, rescan: { every: "10s", full: "10s" } },
};

/** One line for the end of a run: what went wrong, and what to do. */
export function causeOf(error: unknown): string {
  const line = oneLine(error, (own) => {
    return `survey-poller stopped: unexpected ${own instanceof Error ? `${own.name}: ${own.message}` : "failure"}`;
  });
  return error instanceof Error && "hint" in error ? asCalled(line, BY_NPX) : line;
}

type Sink = (envelope: EventEnvelope) => void;

/**
 * The whole system on this machine, from the data folder to the closing summary.
 *
 * @param stop aborted when the user wants to stop: the tick under way is finished
 */
export async function run(line: CommandLine, environment: NodeJS.ProcessEnv, stop: AbortSignal): Promise<void> {
  const flags = `--data ${quoted(line.data)}`;
  const isDemo = line.baseUrl === undefined && line.config === undefined;
  // What is opened here is closed in the other order, however the run ends.
  await using opened = new AsyncDisposableStack();
  const view = showProgress(line.events === "-" ? process.stderr : process.stdout, flags);
  opened.defer(view.stop);
  let cause: string | undefined;
  try {
    const simulator = isDemo ? await startSimulator({ seed: 1 }) : undefined;
    if (simulator !== undefined) opened.defer(simulator.close);
    const configured =
      simulator === undefined
        ? runConfiguration(line)
        : runConfiguration(
            { ...line, baseUrl: simulator.url, interval: line.interval ?? DEMO_INTERVAL },
            DEMO_CONFIGURATION,
          );
    const { sources, webhooks } = configured.config;
    /** Each gets every event, one after the other. */
    const sinks: Sink[] = [view.event];
    /** A file that takes no more ends the run: its events would be tried again for ever, and nobody would be told why. */
    const unwritable = new AbortController();
    if (line.events !== undefined) {
      const file = openEventsFile(line.events);
      opened.defer(file.close);
      unwritable.signal.addEventListener("abort", view.stop);
      sinks.unshift((envelope) => {
        try {
          file.append(JSON.stringify(envelope));
        } catch (error) {
          unwritable.abort(error);
          throw error;
        }
      });
    }
    // The demo's service is born with each run, so its state is too: in a folder of its own.
    const folder = isDemo ? join(line.data, "demo") : line.data;
    if (isDemo) {
      clearDataFolder(folder);
      removeLog(folder);
    }
    const aws = await startEmbeddedAws({
      dataDir: folder,
      onEvent: (envelope) => sinks.forEach((sink) => void sink(envelope)),
      onBroken(error) {
        view.stop();
        process.stderr.write(`${causeOf(error)}\n`);
        noteEnd(folder, { at: Date.now(), cause: causeOf(error) });
        process.exit(1);
      },
    });
    opened.defer(aws.close);
    // For the clients that the run makes itself.
    Object.assign(process.env, aws.env);
    opened.defer(() => noteEnd(folder, { at: Date.now(), cause }));
    const named = sources.map((source) => `${source.name} at ${source.baseUrl}`).join(", ");
    const polled = isDemo ? `demo: polling a simulated survey service at ${simulator?.url}` : `polling ${named}`;
    view.say(polled);
    // For commands that are called from elsewhere.
    const events = line.events === undefined || line.events === "-" ? line.events : resolve(line.events);
    const { invoke, kill } = await loadFunction(configured, { dataDir: folder, aws: aws.env, events }, (source) =>
      simulator === undefined ? givenCredentials(source, line, environment) : simulator,
    );
    opened.defer(async () => void (await kill()));
    const page = line.console ? await startLivePage() : undefined;
    if (page !== undefined) {
      opened.defer(() => page.close(cause));
      sinks.push(page.event);
    }
    if (webhooks.length > 0) {
      view.say("webhooks is set but acts only when deployed: on this machine no endpoint is called.");
    }
    const life = new AbortController();
    opened.defer(() => life.abort());
    if (simulator !== undefined) void runDemoLife(simulator, { signal: life.signal });

    const started = performance.now();
    const interval = Math.min(...sources.map((source) => source.interval));
    const ending = AbortSignal.any([stop, unwritable.signal]);
    const ticks = runTicks({ invoke, ticks: line.ticks, interval, stop: ending, view });
    const result = await ticks.finally(() => unwritable.signal.throwIfAborted());
    view.stop();
    const { totals } = view;
    view.say(
      `done: ${result.ticks} ticks in ${((performance.now() - started) / 1000).toFixed(1)} s, ${totals.emitted} events, ` +
        `${totals.requests} requests to the service, ${totals.withheld} withheld`,
    );
    for (const { name } of sources) {
      for (const text of await surveyLines(name, totals.bySurvey.get(name) ?? new Map())) view.say(text);
    }

    /** The live page over the state of this run. No run fails because nobody can look at it. */
    async function startLivePage(): Promise<LiveConsole | undefined> {
      const lastRun = readLastRun(folder);
      if (lastRun === undefined) return undefined;
      try {
        // Loaded when it is wanted: a run without it starts sooner.
        const { startConsole } = await import("../../console/console.ts");
        const started = await startConsole({
          ...{ port: line.port, polled, command: BY_NPX, flags, mayAct: true, folder },
          ...{ elsewhere: null, demo: simulator && { simulator, aws, kill } },
        });
        view.say(`live page: ${started.url}`);
        const io = { signal: new AbortController().signal, environment: process.env };
        started.ready(targetOver({ data: line.data, folder, run: lastRun }, io));
        return started;
      } catch (error) {
        view.say(`there is no live page: ${oneLine(error, String)}`);
        return undefined;
      }
    }
  } catch (error) {
    const failure = storeFailure(error, line.data) ?? error;
    cause = causeOf(failure);
    throw failure;
  }
}
