import { ListEventBusesCommand } from "@aws-sdk/client-eventbridge";
import { oneLine } from "../../errors.ts";
import type { EventEnvelope } from "../../local/aws/index.ts";
import { InterruptedError, notNow } from "../errors.ts";
import { isUnreachable, listening, runEnded } from "../hearing/listening.ts";
import type { Io } from "../io.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import type { Target } from "../target/target.ts";
import { port, targetVerb, toJson, type Verb } from "../verb.ts";
import { wait } from "../wait.ts";

/** The output of `console --json`, beside `schemaVersion`, once the page can be opened. */
export interface ConsoleAnswer {
  /** With the token of this run, without which the page shows nothing. */
  url: string;
  poller: string;
  /** Whether the page may pause, resume and audit. */
  actions: boolean;
  /** Whether events are heard, by a temporary rule and queue. */
  events: boolean;
}

const PORT = 4747;

const HELP = `
Serves the page on this machine alone, until Ctrl-C. It shows what status and explain answer, and events as
they come: by a temporary rule and queue, as tail does.

Examples:
  survey-poller console --stack SurveyPoller
  survey-poller console --data .survey-poller --port 5000`;

export const consoleVerb: Verb = (act) =>
  targetVerb("console", "the live page of a poller", HELP)
    .option("--port <number>", `this port, or the next that is free (default ${PORT})`, port)
    .option("--allow-actions", "of a stack: the page may pause, resume and audit")
    .option("--no-events", "makes no rule and no queue: the page shows the state alone")
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const mayAct = target.stack === undefined || options.allowActions === true;
        const { events: hears } = options;
        await servePage(target, { ...options, port: options.port ?? PORT, mayAct, hears }, io, (url) => {
          const answer: ConsoleAnswer = { url, poller: target.name, actions: mayAct, events: hears };
          if (options.json === true) io.out(toJson(answer));
          else io.out(`live page of the ${target.name}: ${url}`);
          if (!mayAct) io.say("It only reads: --allow-actions lets it pause, resume and audit.");
        });
        throw new InterruptedError();
      }),
    );

/** Milliseconds after which events that could not be heard are listened for again. */
const AGAIN = 15_000;
/** Milliseconds between two looks whether the run of a data folder is still at work. */
const LOOK_EVERY = 2_000;

/** Serves the page of a poller that runs elsewhere, until Ctrl-C. */
async function servePage(
  target: Target,
  { port, mayAct, hears, stack, data }: Flags & { port: number; mayAct: boolean; hears: boolean },
  io: Io,
  onServed: (url: string) => void,
): Promise<void> {
  if (target.data?.isRunning === false) {
    const hint = "npm start serves a page of its own; survey-poller status tells how the last run has left it.";
    throw notNow("NO_RUN_AT_WORK", `no run is at work on the ${target.name}: there is nothing to show live`, { hint });
  }
  const { DashboardUrl: url = "the dashboard of the stack" } = target.stack?.outputs ?? {};
  const onDashboard = `The function's requests are drawn on ${url}`;
  const ofRun = "npm start counts its requests on its own page.";
  const elsewhere = { requests: target.stack === undefined ? ofRun : onDashboard, isHeard: hears };
  const { command } = io;
  // Loaded here: no other verb needs a server.
  const { startConsole } = await import("../../console/console.ts");
  const page = await startConsole({ port, polled: target.name, command, flags: target.flags, mayAct, elsewhere });
  try {
    page.ready(target);
    onServed(page.url);
    while (!io.signal.aborted) {
      try {
        if (hears) await listening({ stack, data }, io, (body) => page.event(JSON.parse(body) as EventEnvelope));
        else await wait(LOOK_EVERY, io);
        if (!hears && target.data !== undefined)
          await target.clients.events.send(new ListEventBusesCommand({ Limit: 1 }));
      } catch (error) {
        if (io.signal.aborted || error instanceof InterruptedError) break;
        // A run takes all of its AWS with it.
        if (target.data !== undefined) throw isUnreachable(error) ? runEnded(target) : error;
        const why = oneLine(error, () => "Events cannot be heard.");
        io.say(why);
        page.flag("verdict", `events are not heard: ${why}`);
        await wait(AGAIN, io).catch(() => undefined);
      }
    }
  } finally {
    await page.close();
  }
}
